// Where the programs of the services are, and what each requires. Called by main.ts and migrate.ts. It must
// never override a setting that is given.

import { completed, type Environment } from "./local-stack.ts";

/** The programs beside this one: source beside source, emitted beside emitted. */
const [FOLDER, EXTENSION] = import.meta.url.endsWith(".ts") ? ["src", "ts"] : ["dist", "js"];
/** Two services require this setting for every verb; only `serve` uses it. */
const UNUSED = { ANNALS_LEDGER_ADDRESS: "ledger:9090" };

export function programOf(service: string): URL {
  return new URL(`../../../services/${service}/${FOLDER}/main.${EXTENSION}`, import.meta.url);
}

/** For any verb of any service. */
export function environmentOf(environment: Environment): Environment {
  return { ...UNUSED, ...completed(environment) };
}
