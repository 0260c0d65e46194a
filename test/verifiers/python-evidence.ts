// Runs the verifier of evidence in Python for tests, on a bundle that the test made: as a process, or in turn
// with others in one process, which takes a third of the time.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { has } from "../system/needs.ts";
import { hasOpenssl, hasPython } from "../system/programs.ts";
import { type Files, POLICY, tarOf, verdictOf } from "./made-bundle.ts";

const FOLDER = import.meta.dirname;
/** The verifier of chains, as a script of the folder. */
export const VERIFY = "../../packages/sdk-python/src/annals_sdk/verify.py";
export const hasPythonAndOpenssl = hasPython && hasOpenssl;

export interface Answer {
  readonly status: number | null;
  readonly text: string;
}

export function python(
  script: string,
  parameters: readonly string[],
  path = process.env["PATH"],
  packages = "",
): Answer {
  const all = script === "-c" ? [script, ...parameters] : [join(FOLDER, script), ...parameters];
  const { status, stdout, stderr } = spawnSync(PYTHON, all, {
    encoding: "utf8",
    timeout: 120_000,
    maxBuffer: 1 << 24,
    env: environmentOf(path, packages),
  });
  return { status, text: `${stdout}${stderr}`.trim() };
}

function environmentOf(path = process.env["PATH"], packages = "") {
  const own = { PYTHONPATH: `${packages}:${FOLDER}`, PYTHONDONTWRITEBYTECODE: "1" };
  return { ...process.env, PATH: path, ...own };
}

/** What a script says that runs in the one process of this worker, which ends with it. */
export function pythonInTurn(script: string, parameters: readonly string[]): Promise<Answer> {
  turns ??= startTurns();
  return turns({ script, parameters });
}

type Turn = Readonly<{ script: string; parameters: readonly string[] }>;
let turns: ((turn: Turn) => Promise<Answer>) | undefined;

function startTurns(): (turn: Turn) => Promise<Answer> {
  const asked: PromiseWithResolvers<Answer>[] = [];
  const child = spawn(PYTHON, [join(FOLDER, "in_turn.py")], {
    stdio: ["pipe", "pipe", "inherit"],
    env: environmentOf(),
  });
  // It must not keep the worker from ending, whose end closes its standard input.
  for (const each of [child, child.stdin as Socket, child.stdout as Socket]) each.unref();
  createInterface({ input: child.stdout }).on("line", (line) =>
    asked.shift()?.resolve(JSON.parse(line) as Answer),
  );
  child.once("close", (status) => {
    turns = undefined;
    for (const { reject } of asked) reject(new Error(`in_turn.py has ended with ${status}`));
  });
  return (turn) => {
    const answer = Promise.withResolvers<Answer>();
    asked.push(answer);
    child.stdin.write(`${JSON.stringify(turn)}\n`);
    return answer.promise;
  };
}

const PYTHON = hasPython
  ? spawnSync("python3", ["-c", "import sys; print(sys.executable)"], {
      encoding: "utf8",
    }).stdout.trim()
  : "";

export interface Given {
  readonly policy?: Buffer;
  readonly known?: readonly Buffer[];
  readonly authorities?: Buffer;
  readonly maxAnchorLag?: number;
  /** The file with the events of an archive. */
  readonly events?: Buffer;
  readonly path?: string;
  /** Where Python looks for packages first. */
  readonly packages?: string;
}

/** What evidence.py says of a bundle, as a process. */
export function verdict(files: Files | Buffer, given: Given = {}): Answer {
  using folder = mkdtempDisposableSync(join(tmpdir(), "annals-evidence-"));
  return python("evidence.py", written(folder.path, files, given), given.path, given.packages);
}

/** The same in turn with others; for a path or packages of its own it takes a process. */
export async function verdictInTurn(files: Files | Buffer, given: Given = {}): Promise<Answer> {
  if (given.path !== undefined || given.packages !== undefined) return verdict(files, given);
  using folder = mkdtempDisposableSync(join(tmpdir(), "annals-evidence-"));
  return await pythonInTurn("evidence.py", written(folder.path, files, given));
}

/** Writes what evidence.py reads into a folder, and returns its parameters. */
function written(folder: string, files: Files | Buffer, given: Given): string[] {
  const put = (name: string, bytes: Buffer) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const { authorities, events, known = [], maxAnchorLag, policy = POLICY } = given;
  return [
    put("evidence.tar", Buffer.isBuffer(files) ? files : tarOf(files)),
    "--policy",
    put("policy", policy),
    ...known.flatMap((bytes, at) => ["--known", put(`known-${at}`, bytes)]),
    ...(events ? ["--events", put("events", events)] : []),
    ...(authorities ? ["--tsa-ca", put("ca.pem", authorities)] : []),
    ...(maxAnchorLag === undefined ? [] : ["--max-anchor-lag", String(maxAnchorLag)]),
  ];
}

const PROBE = "import evidence_notes, sys; sys.exit(evidence_notes.MLDSA44PublicKey is None)";
export const hasPythonAndMlDsa =
  hasPython && has("python3 with ML-DSA", python("-c", [PROBE]).status === 0);

const ZSTD_PROBE = "import evidence_archive as a, sys; sys.exit(not (a.zstd or a.which('zstd')))";
export const hasPythonAndZstd =
  hasPython && has("python3 with zstd", python("-c", [ZSTD_PROBE]).status === 0);

/** The reason by its name in annals-verify. */
export function reasonOf({ status, text }: Answer): string {
  if (status === 0 && text.startsWith("valid: ")) return "valid";
  if (status === 2 && text.startsWith("not checked: ")) return "NotChecked";
  const [, reason] = /^invalid: ([a-z_]+): /.exec(text) ?? [];
  return (status === 1 && reason) || `${status}: ${text}`;
}

/** The reason that both verifiers name, or what each of them names. */
export async function agreed(files: Files | Buffer, given: Given = {}): Promise<string> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "annals-evidence-"));
  const { authorities: timestampAuthorities, known, maxAnchorLag, policy = POLICY } = given;
  const events = given.events && join(folder.path, "events");
  if (events !== undefined) writeFileSync(events, given.events ?? "");
  const options = { events, known: known ?? [], maxAnchorLag, policy, timestampAuthorities };
  const [own] = (await verdictOf(files, options)).split(":", 1);
  const other = reasonOf(await verdictInTurn(files, given));
  return own === other ? other : `annals-verify: ${own}, evidence.py: ${other}`;
}
