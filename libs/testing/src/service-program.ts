// The program of a service, for tests that run one of its verbs as a process.

import { resolve } from "node:path";

const SERVICES = resolve(import.meta.dirname, "../../../services");

/** The bundle that a run of tests has made (deploy/bundle/services.mjs), else the source. */
export function serviceProgram(service: string): string {
  const isBundled = process.env["ANNALS_TEST_BUNDLED"] === "true";
  return resolve(SERVICES, service, isBundled ? "dist/bundle/main.js" : "src/main.ts");
}
