// Which fault files a run of all tiers has: a core always, those of areas that the commits of the last day
// changed, and an eighth of the rest in turn. `npm run test:full` runs all of them. It must never leave a
// file out of every slice.

import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename } from "node:path";

export const SLICES = 8;
/** How much of a commit's hash chooses the slice. */
const COMMIT_DIGITS = 7;

/** Crashes and kills that must lose nothing. */
export const CORE: readonly string[] = [
  "epoch-kills",
  "erasure-kills",
  "lost-commit-acknowledgement",
  "poison-message",
  "postgres-crash",
  "restore",
  "service-crash",
  "sinks-nothing-lost",
];

/** What a change of these paths is likely to break. */
export const AREAS: readonly (readonly [changed: RegExp, files: readonly string[]])[] = [
  [
    /^(services\/ledger\/src\/(append|store)|libs\/postgres\/src)\//u,
    ["shared-transactions", "failover", "changing-ledgers", "backend-termination"],
  ],
  [/^services\/ledger\/src\/(search|rpc)\//u, ["hostile-search", "request-cost"]],
  [
    /^services\/webhook-dispatcher\/src\//u,
    ["hostile-receivers", "hostile-replays", "sink-receivers", "sink-receivers-killed"],
  ],
  [
    /^services\/gateway\/src\//u,
    ["hostile-bodies", "hostile-slots", "fairness", "overload", "request-cost"],
  ],
  [/^services\/keys\/src\//u, ["hostile-admission"]],
  [/^services\/export\/src\//u, ["exports-million", "hostile-storage", "disk-full"]],
  [
    /^libs\/(rpc|messaging)\/src\//u,
    ["network-faults", "network-silence", "hostile-nats", "rolling-restart"],
  ],
  [/\/migrations\//u, ["postgresql-versions", "soak"]],
  [/^(helm|deploy\/(grafana|prometheus))\//u, ["alerts"]],
];

const MS_PER_DAY = 86_400_000;

/** What only tests use. */
const OF_TESTS = /\.test\.ts$|\/testing\//u;

/** What a change of these paths may break on a cluster. */
const OF_CLUSTER = /^(helm|deploy)\/|\/migrations\/|^test\/kubernetes\//u;

export interface FaultsOfRun {
  /** Paths. */
  readonly files: readonly string[];
  /** Which eighth of the rest, from 0 to 7. */
  readonly slice: number;
}

/** All files with a short form. */
export function faultFiles(): string[] {
  return globSync("test/faults/**/*.test.ts").toSorted();
}

const nameOf = (file: string): string => basename(file, ".test.ts");

/** The files of a run, of all `files`. Those that are in no area of a change come in turn. */
export function faultsOf(
  files: readonly string[],
  changed: readonly string[],
  slice: number,
): string[] {
  const due = new Set(CORE);
  const product = changed.filter((path) => !OF_TESTS.test(path));
  for (const [pattern, names] of AREAS)
    if (product.some((path) => pattern.test(path))) for (const name of names) due.add(name);
  for (const path of changed) if (path.startsWith("test/faults/")) due.add(nameOf(path));
  const rest = files.filter((file) => !CORE.includes(nameOf(file)));
  for (const [at, file] of rest.entries()) if (at % SLICES === slice) due.add(nameOf(file));
  return files.filter((file) => due.has(nameOf(file)));
}

/** The same for the commit that is checked out. `ANNALS_TEST_SLICE` names another slice. */
export function faultsOfCheckout(): FaultsOfRun {
  const given = process.env["ANNALS_TEST_SLICE"];
  const commit = git("rev-parse", "HEAD").slice(0, COMMIT_DIGITS);
  const slice = given === undefined ? Number.parseInt(commit, 16) % SLICES : Number(given);
  return { files: faultsOf(faultFiles(), changedFiles(), slice), slice };
}

export function isClusterAffected(): boolean {
  return changedFiles().some((path) => OF_CLUSTER.test(path));
}

/** Paths that the commits of the day before the newest one changed. */
function changedFiles(): string[] {
  const at = git("log", "-1", "--format=%cI").trim();
  const since = new Date(Date.parse(at) - MS_PER_DAY).toISOString();
  return [...new Set(git("log", `--since=${since}`, "--name-only", "--format=").split("\n"))];
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}
