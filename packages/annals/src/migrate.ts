// `annals migrate`: runs `migrate` of several services in parallel, each in its own process, and prints their
// reports as one line of JSON. A failure must never stop the other services, nor remove them from the report.

import { command, type Command, EXIT, option, repeatedOption } from "@annals/cli";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Environment } from "./local-stack.ts";
import { programOf } from "./programs.ts";
import { environmentFor, SCHEMAS, SERVICES } from "./service-environment.ts";

/** The last characters of standard error that are kept of a failed process. */
const MAX_REASON_CHARS = 4_000;

interface Outcome {
  readonly status: number;
  /** The members of the line. */
  readonly report: object;
}

export function migrateCommand(environment: Environment): Command {
  return command(
    {
      name: "migrate",
      summary: "Migrate the schemas to this release",
      details: `Migrates the schemas of ${SERVICES.join(", ")} in parallel, each in its own process.
A second run changes nothing. If one service fails, the others continue.

Prints one line of JSON: for each schema its version before and after, the applied migrations, roles and logins, or the
error. Progress is written to standard error.

Requires ANNALS_DATABASE_URL with a login that may create roles. A setting that is for one service only is prefixed with
the service name: KEYS_ANNALS_DATABASE_URL, WEBHOOK_DISPATCHER_ANNALS_DATABASE_URL.`,
      options: {
        service: repeatedOption("<service>", "Migrate this service only", asService),
        wait: option(
          "<seconds>",
          "Wait this long for a PostgreSQL that cannot be reached or is starting (default 0)",
        ),
      },
      examples: ["annals migrate", "annals migrate --service keys --service ledger"],
      exitStatus: "0 success, 1 a migration failed, 2 usage or configuration error",
    },
    async ({ service, wait }) => {
      const services = service.length > 0 ? [...new Set(service)] : SERVICES;
      const words = ["migrate", ...(wait === undefined ? [] : ["--wait", wait])];
      const { line, status } = await migrateAll(services, words, environment);
      process.stdout.write(`${line}\n`);
      return status;
    },
  );
}

function asService(text: string): string {
  if (SCHEMAS.has(text)) return text;
  throw new Error(`unknown service "${text}" (expected ${SERVICES.join(", ")})`);
}

/** Resolves to the line and the highest exit status. After 2 a retry fails the same way. */
async function migrateAll(
  services: readonly string[],
  words: readonly string[],
  environment: Environment,
): Promise<{ line: string; status: number }> {
  const began = performance.now();
  const outcomes = await Promise.all(
    services.map((service) => migrateOne(service, words, environmentFor(service, environment))),
  );
  const failed = services.filter((_, index) => outcomes[index]?.status !== EXIT.ok);
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

async function migrateOne(
  service: string,
  words: readonly string[],
  env: Environment,
): Promise<Outcome> {
  const began = performance.now();
  const args = [...process.execArgv, fileURLToPath(programOf(service)), ...words];
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
  const about = { service, schema: SCHEMAS.get(service), ...printed };
  if (code === EXIT.ok) return { status: EXIT.ok, report: about };
  const error = reason.trim() || `ended by ${signal ?? "itself"}`;
  const duration = Math.round(performance.now() - began);
  return { status: code ?? EXIT.failure, report: { ...about, error, duration_ms: duration } };
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
