// The options of Node.js and malloc for a service, read from deploy/node-options.txt. Called by
// service-process.ts; the image reads the same file in deploy/entrypoint.mjs. It must never hold an option.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceName } from "./services.ts";

const FILE = join(import.meta.dirname, "../../node-options.txt");

export interface NodeOptions {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export function nodeOptions(service: ServiceName): NodeOptions {
  const lines = readFileSync(FILE, "utf8")
    .split("\n")
    .map((line) => line.split(" "));
  const wordsOf = (...names: string[]) =>
    lines.flatMap(([name = "", ...words]) => (names.includes(name) ? words : []));
  const variables = wordsOf("environment").map((word) => word.split("=", 2));
  return {
    args: wordsOf("every", service),
    environment: Object.fromEntries(variables.map(([name = "", value = ""]) => [name, value])),
  };
}
