// `annals migrate`: runs `migrate` of several services in parallel, each in its own process, and prints their
// reports as one line of JSON. Called by main.ts. A process gets the settings of its own service only. A
// failure must never stop the other services, nor remove them from the report.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { completed, type Environment } from "./local-stack.ts";
import { programOf } from "./programs.ts";
import { MIGRATING } from "./verbs.ts";

/** The last characters of standard error that are kept of a failed process. */
const MAX_REASON_CHARS = 4_000;

const ABOVE_INFO: ReadonlySet<string> = new Set(["warn", "error"]);

interface Outcome {
  readonly status: number;
  /** The members of the line. */
  readonly report: object;
}

/** Resolves to the line and the highest exit status. After 2 a retry fails the same way. */
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

/** Resolves `KEYS_ANNALS_X` to `ANNALS_X` for keys only; it takes precedence over a plain `ANNALS_X`. */
function environmentFor(service: string, environment: Environment): Environment {
  const prefixOf = (name: string) => `${name.toUpperCase().replaceAll("-", "_")}_`;
  const own = prefixOf(service);
  const prefixes = [...MIGRATING.keys()].map((name) => `${prefixOf(name)}ANNALS_`);
  const isForOne = (name: string) => prefixes.some((prefix) => name.startsWith(prefix));
  const entries = Object.entries(environment);
  const level = environment["ANNALS_LOG_LEVEL"] ?? "";
  return completed({
    ...Object.fromEntries(entries.filter(([name]) => !isForOne(name))),
    ...Object.fromEntries(
      entries
        .filter(([name]) => isForOne(name) && name.startsWith(own))
        .map(([name, value]) => [name.slice(own.length), value]),
    ),
    // The report has the level info.
    ...(ABOVE_INFO.has(level) && { ANNALS_LOG_LEVEL: "info" }),
  });
}

async function migrateOne(service: string, env: Environment): Promise<Outcome> {
  const began = performance.now();
  const args = [...process.execArgv, fileURLToPath(programOf(service)), "migrate"];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
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

/** Returns the report if the line of the log is one. */
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
