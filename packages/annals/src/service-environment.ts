// The services with a schema, and the environment in which a program of one is started. Called by migrate.ts
// and distribute.ts. A process must never get a setting that is for another service only.

import { completed, type Environment } from "./local-stack.ts";

/** The services with a schema, and its name. */
export const SCHEMAS: ReadonlyMap<string, string> = new Map([
  ["keys", "keys"],
  ["ledger", "ledger"],
  ["export", "exports"],
  ["webhook-dispatcher", "webhooks"],
]);
export const SERVICES = [...SCHEMAS.keys()];

const ABOVE_INFO: ReadonlySet<string> = new Set(["warn", "error"]);

/** Resolves `KEYS_ANNALS_X` to `ANNALS_X` for keys only; it takes precedence over a plain `ANNALS_X`. */
export function environmentFor(service: string, environment: Environment): Environment {
  const prefixOf = (name: string) => `${name.toUpperCase().replaceAll("-", "_")}_`;
  const own = prefixOf(service);
  const prefixes = SERVICES.map((name) => `${prefixOf(name)}ANNALS_`);
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
