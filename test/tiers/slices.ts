// Which files of the outages and of the fault tests a run of all tiers has: a core always, those of areas
// that the commits of the last day changed, and a part of the rest in turn. `npm run test:full` runs all of
// them. It must never leave a file out of every slice.

import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename } from "node:path";
import { OUTAGES } from "./files.ts";

/** How much of a commit's hash chooses the slice. */
const COMMIT_DIGITS = 7;

/** What a change of these paths is likely to break. */
type Areas = readonly (readonly [changed: RegExp, names: readonly string[]])[];

/** A tier of which a run has a part. Files go by their names without `.test.ts`. */
export interface Sliced {
  readonly files: readonly string[];
  readonly core: readonly string[];
  readonly areas: Areas;
  readonly slices: number;
}

const BROWSER = OUTAGES.filter((file) => file.startsWith("test/browser/")).map(nameOf);

export const OUTAGE_SLICES: Sliced = {
  files: OUTAGES.toSorted(),
  // What a kill or an absent server must not lose, and what a newcomer starts.
  core: ["crash", "start", "unavailable", "webhooks-crash-points", "webhooks-nothing-lost"],
  areas: [
    [
      /^services\/ledger\/src\//u,
      ["chain-ledgers", "clocks", "log-restored", "log-rewritten", "time-stamps", "witnesses"],
    ],
    [/^services\/keys\/src\//u, ["key-last-use", "log-key", "read-audit", "revocation-slow"]],
    [
      /^services\/export\/src\//u,
      ["archive-versions", "evidence-exports", "exports-writers", "storage"],
    ],
    [
      /^services\/webhook-dispatcher\/src\//u,
      [
        "bucket-anchor",
        "notices",
        "s3-receiver",
        "webhooks-checkpoints",
        "webhooks-filter",
        "webhooks-schedule",
      ],
    ],
    [
      /^services\/gateway\/src\//u,
      ["clients", "hostile-json", "linters", "otlp-exporters", "slow-clients"],
    ],
    [
      /^libs\/(messaging|postgres|rpc)\/src\//u,
      ["chain-ledgers", "left-requests", "notices", "revocation-slow"],
    ],
    [
      /^(libs\/(event|proof|tlog)|packages\/annals-verify)\/src\//u,
      [
        "annals-verify-package",
        "log-fsck",
        "other-readers",
        "parquet-readers",
        "sink-bucket",
        "verifier-go",
      ],
    ],
    [/^packages\/(dashboard|viewer)\//u, BROWSER],
    [/^packages\/sdk\//u, ["clients", "package", "python", "sdk-track", "spool"]],
    [/^packages\/sdk-python\//u, ["clients", "python", "spool"]],
    [
      /^packages\/sdk-go\//u,
      [
        "go",
        "go-calls",
        "go-checkpoints",
        "go-conformance",
        "go-module",
        "go-outbox",
        "producers-go",
        "spool",
        "verifier-go",
      ],
    ],
    [/^deploy\/|^pnpm-lock\.yaml$/u, ["checkout", "postgres", "release", "stack"]],
  ],
  slices: 4,
};

export const FAULT_SLICES: Sliced = {
  files: globSync("test/faults/**/*.test.ts").toSorted(),
  // Crashes and kills that must lose nothing.
  core: [
    "epoch-kills",
    "erasure-kills",
    "lost-commit-acknowledgement",
    "poison-message",
    "postgres-crash",
    "restore",
    "service-crash",
    "sinks-nothing-lost",
  ],
  areas: [
    [
      /^(services\/ledger\/src\/(append|store)|libs\/postgres\/src)\//u,
      ["shared-transactions", "failover", "changing-ledgers", "backend-termination"],
    ],
    [
      /^services\/ledger\/src\/(search|events|counts)\//u,
      ["hostile-search", "hostile-fields", "request-cost"],
    ],
    [
      /^services\/webhook-dispatcher\/src\//u,
      ["hostile-receivers", "hostile-replays", "sink-receivers", "sink-receivers-killed"],
    ],
    [
      /^services\/gateway\/src\//u,
      ["hostile-bodies", "hostile-slots", "fairness", "overload", "request-cost"],
    ],
    [/^services\/gateway\/src\/admission\//u, ["leases"]],
    [/^services\/gateway\/src\/intake\/|^docs\/recipes\.md$/u, ["recipes"]],
    [/^services\/keys\/src\//u, ["hostile-admission", "leases"]],
    [/^services\/export\/src\//u, ["exports-million", "hostile-storage", "disk-full"]],
    [
      /^libs\/(rpc|messaging)\/src\//u,
      ["network-faults", "network-silence", "hostile-nats", "rolling-restart"],
    ],
    [/\/migrations\//u, ["postgresql-versions", "soak"]],
    [/^(helm|deploy\/(grafana|prometheus))\//u, ["alerts"]],
    [/^packages\/sdk(-python|-go)?\//u, ["client-kills"]],
    [/^packages\/sdk-python\//u, ["python-servers"]],
  ],
  slices: 8,
};

const MS_PER_DAY = 86_400_000;

/** What only tests use. */
const OF_TESTS = /\.test\.ts$|\/testing\//u;

/** What a change of these paths may break on a cluster. */
const OF_CLUSTER = /^(helm|deploy)\/|\/migrations\/|^test\/kubernetes\//u;

/** A function and not a constant: the tables above call it. */
function nameOf(file: string): string {
  return basename(file, ".test.ts");
}

/** The files of a run. Those that are in no area of a change come in turn. */
export function partOf(
  { areas, core, files, slices }: Sliced,
  changed: readonly string[],
  slice: number,
): string[] {
  const due = new Set(core);
  const product = changed.filter((path) => !OF_TESTS.test(path));
  for (const [pattern, names] of areas)
    if (product.some((path) => pattern.test(path))) for (const name of names) due.add(name);
  for (const path of changed) if (files.includes(path)) due.add(nameOf(path));
  const rest = files.filter((file) => !core.includes(nameOf(file)));
  for (const [at, file] of rest.entries()) if (at % slices === slice) due.add(nameOf(file));
  return files.filter((file) => due.has(nameOf(file)));
}

/** The same for the commit that is checked out. `ANNALS_TEST_SLICE` chooses another slice. */
export function partOfCheckout(tier: Sliced): { files: readonly string[]; slice: number } {
  const commit = git("rev-parse", "HEAD").slice(0, COMMIT_DIGITS);
  const slice = Number(process.env["ANNALS_TEST_SLICE"] ?? Number.parseInt(commit, 16));
  return { files: partOf(tier, changedFiles(), slice % tier.slices), slice: slice % tier.slices };
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
