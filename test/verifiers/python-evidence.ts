// Runs the verifier of evidence in Python for tests, as a process, on a bundle that the test made.

import { spawnSync } from "node:child_process";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { has } from "../system/needs.ts";
import { hasOpenssl, hasPython } from "../system/programs.ts";
import { type Files, POLICY, tarOf, verdictOf } from "./made-bundle.ts";

const FOLDER = import.meta.dirname;
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
    env: {
      ...process.env,
      PATH: path,
      PYTHONPATH: `${packages}:${FOLDER}`,
      PYTHONDONTWRITEBYTECODE: "1",
    },
  });
  return { status, text: `${stdout}${stderr}`.trim() };
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
  const put = (name: string, bytes: Buffer) => {
    writeFileSync(join(folder.path, name), bytes);
    return join(folder.path, name);
  };
  const { authorities, events, known = [], maxAnchorLag, packages, path, policy = POLICY } = given;
  const parameters = [
    put("evidence.tar", Buffer.isBuffer(files) ? files : tarOf(files)),
    "--policy",
    put("policy", policy),
    ...known.flatMap((bytes, at) => ["--known", put(`known-${at}`, bytes)]),
    ...(events ? ["--events", put("events", events)] : []),
    ...(authorities ? ["--tsa-ca", put("ca.pem", authorities)] : []),
    ...(maxAnchorLag === undefined ? [] : ["--max-anchor-lag", String(maxAnchorLag)]),
  ];
  return python("evidence.py", parameters, path, packages);
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
  const other = reasonOf(verdict(files, given));
  return own === other ? other : `annals-verify: ${own}, evidence.py: ${other}`;
}
