// Logs: one JSON object a line on standard output. `msg` is constant, what varies is in fields; no
// secret, no key, no part of an event is ever a field. Error level only where a person should act.

import { type DestinationStream, type Logger, pino, stdTimeFunctions } from "pino";

export type { Logger } from "pino";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Members that would hold a secret by their name. */
const SECRETS = [
  "authorization",
  "secret",
  "key",
  "password",
  "connectionString",
  "databaseUrl",
  "natsUrl",
];

/** Down to `request.headers.authorization`; a second fence behind never logging them. */
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
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED, censor: "[redacted]" },
    },
    destination,
  );
}
