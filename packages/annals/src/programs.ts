// Locates the programs of the services. Called by main.ts, migrate.ts and distribute.ts. It must
// never start one.

/** A module of this package: what precedes the packages, the folder in this one, and the extension. */
const OWN = /^(.*)packages\/annals\/(.+)\/[^/]+(\.\w+)$/;

/** Finds the source if this is a source, the compiled file if it is compiled, and a bundle in a bundle. */
export function programOf(service: string): URL {
  return new URL(import.meta.url.replace(OWN, `$1services/${service}/$2/main$3`));
}
