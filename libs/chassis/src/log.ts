// Logs: one JSON object a line on standard output, written synchronously. Called by main.ts. `msg` is
// constant, and what varies is in fields, whose names are in snake case. No secret, no key and no part of an
// event is ever a field. Error level only if a person should act.

import { type DestinationStream, type Logger, pino, stdTimeFunctions } from "pino";
import { logIds } from "./span.ts";

export type { Logger } from "pino";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields whose names say that they hold a secret. */
const SECRETS = [
  "authorization",
  "secret",
  "key",
  "password",
  "connectionString",
  "databaseUrl",
  "natsUrl",
];

/** Down to `request.headers.authorization`. A second protection: the first is that no code logs them. */
const REDACTED = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

export function createLog(
  options: { readonly service: string; readonly level: LogLevel },
  destination?: DestinationStream,
): Logger {
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: stdTimeFunctions.isoTime,
      mixin: logIds,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED, censor: "[redacted]" },
    },
    destination,
  );
}
