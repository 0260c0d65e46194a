// Locates the programs of the services and completes their environment. Called by main.ts and migrate.ts. It
// must never override a given setting.

import { completed, type Environment } from "./local-stack.ts";

/** Finds sources if this file is a source, and compiled files if it is compiled. */
const [FOLDER, EXTENSION] = import.meta.url.endsWith(".ts") ? ["src", "ts"] : ["dist", "js"];
/** A placeholder for a setting that two services require for every command, although only `serve` uses it. */
const UNUSED = { ANNALS_LEDGER_ADDRESS: "ledger:9090" };

export function programOf(service: string): URL {
  return new URL(`../../../services/${service}/${FOLDER}/main.${EXTENSION}`, import.meta.url);
}

/** Completes the environment of any command of any service. */
export function environmentOf(environment: Environment): Environment {
  return { ...UNUSED, ...completed(environment) };
}
