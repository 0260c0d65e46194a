// `annals migrate`: runs `migrate` of several services side by side, each as a process of its own, and makes
// one line of JSON of what they report. Called by main.ts. A process gets the settings of its own service and
// no other's. One that fails must never stop the others, nor keep them out of the report.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Environment } from "./local-stack.ts";
import { environmentOf, programOf } from "./programs.ts";
import { MIGRATING } from "./verbs.ts";

/** Of what a failed process printed on standard error: the end. */
const MAX_REASON_CHARS = 4_000;

const ABOVE_INFO: ReadonlySet<string> = new Set(["warn", "error"]);

interface Outcome {
  readonly status: number;
  /** The members of the line. */
  readonly report: object;
}

/** The line, and the highest exit status: after 2 another attempt ends the same way. */
export async function migrateAll(
  services: readonly string[],
  environment: Environment,
): Promise<{ line: string; status: number }> {
  const began = performance.now();
  const outcomes = await Promise.all(
    services.map((service) => migrateOne(service, environmentFor(service, environment))),
  );
  const failed = services.filter((_, index) => outcomes[index]?.status !== 0);
  const line = JSON.stringify({
    level: failed.length === 0 ? "info" : "error",
    time: new Date().toISOString(),
    service: "migrate",
    failed,
    duration_ms: Math.round(performance.now() - began),
    schemas: outcomes.map(({ report }) => report),
    msg: failed.length === 0 ? "migrated" : "migration failed",
  });
  return { line, status: Math.max(...outcomes.map(({ status }) => status)) };
}

/** `KEYS_ANNALS_X` is `ANNALS_X` for keys alone, and before an `ANNALS_X` for all. */
function environmentFor(service: string, environment: Environment): Environment {
  const prefixOf = (name: string) => `${name.toUpperCase().replaceAll("-", "_")}_`;
  const own = prefixOf(service);
  const prefixes = [...MIGRATING.keys()].map((name) => `${prefixOf(name)}ANNALS_`);
  const isForOne = (name: string) => prefixes.some((prefix) => name.startsWith(prefix));
  const entries = Object.entries(environment);
  const level = environment["ANNALS_LOG_LEVEL"] ?? "";
  return environmentOf({
    ...Object.fromEntries(entries.filter(([name]) => !isForOne(name))),
    ...Object.fromEntries(
      entries
        .filter(([name]) => isForOne(name) && name.startsWith(own))
        .map(([name, value]) => [name.slice(own.length), value]),
    ),
    // The report is a line of the level info.
    ...(ABOVE_INFO.has(level) && { ANNALS_LOG_LEVEL: "info" }),
  });
}

async function migrateOne(service: string, env: Environment): Promise<Outcome> {
  const began = performance.now();
  const words = [...process.execArgv, fileURLToPath(programOf(service)), "migrate"];
  const child = spawn(process.execPath, words, { env, stdio: ["ignore", "pipe", "pipe"] });
  let printed: object = {};
  let reason = "";
  child.stderr.on("data", (chunk: Buffer) => {
    reason = (reason + chunk.toString()).slice(-MAX_REASON_CHARS);
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const report = reportOf(line);
    if (report) printed = report;
    else process.stderr.write(`${line}\n`);
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  const about = { service, schema: MIGRATING.get(service), ...printed };
  if (code === 0) return { status: 0, report: about };
  const error = reason.trim() || `ended by ${signal ?? "itself"}`;
  const duration = Math.round(performance.now() - began);
  return { status: code ?? 1, report: { ...about, error, duration_ms: duration } };
}

/** Of a line of the log, where it is the one about the schema. */
function reportOf(line: string): object | undefined {
  try {
    const {
      level: _level,
      time: _time,
      msg,
      ...report
    } = JSON.parse(line) as { [name: string]: unknown };
    return msg === "migrated" ? report : undefined;
  } catch {
    return undefined;
  }
}
