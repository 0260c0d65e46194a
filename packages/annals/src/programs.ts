// Locates the programs of the services. Called by main.ts and migrate.ts. It must
// never start one.

/** Finds sources if this file is a source, and compiled files if it is compiled. */
const [FOLDER, EXTENSION] = import.meta.url.endsWith(".ts") ? ["src", "ts"] : ["dist", "js"];

export function programOf(service: string): URL {
  return new URL(`../../../services/${service}/${FOLDER}/main.${EXTENSION}`, import.meta.url);
}
