// What the generators and the tests of test/tidy and test/chart read: every file of the checkout that a
// person writes, with its text, and the settings and metrics that the programs declare. Files are found by
// walking, not by asking git, so that the law also holds in a copy without history. It never runs a service.

import type { Setting } from "@annals/chassis";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parse } from "yaml";

export const ROOT = resolve(import.meta.dirname, "../..");

export interface SourceFile {
  /** Path from the root, with `/`. */
  readonly path: string;
  readonly text: string;
}

// oxlint-disable-next-line no-explicit-any -- the test that reads it knows its shape
export type Node = Record<string, any>;

/** Not written by us, or not kept. */
const LEFT_OUT = new Set(["node_modules", "dist", ".git", ".annals", ".turbo", "coverage"]);
const GENERATED =
  /^(proto\/gen|packages\/(sdk\/src\/generated|sdk-go\/(models|resources))|test\/chart\/golden|pnpm-lock\.yaml|LICENSE$|.*\.tsbuildinfo$)/;
const TEXT = /(\.(ts|mjs|js|json|sql|proto|md|ya?ml|go|py|sh|toml|tpl|txt)|Dockerfile|\.ci\/run)$/;

/** Every written text file, sorted by path. */
export const FILES: readonly SourceFile[] = walk(ROOT).toSorted((a, b) =>
  a.path < b.path ? -1 : 1,
);

/** Every TypeScript and JavaScript file that is ours, tests included. */
export const CODE = FILES.filter(({ path }) => /\.(ts|mjs)$/.test(path));

/** The code that runs in production: without tests and what only tests import. */
export const PRODUCT = CODE.filter(
  ({ path }) =>
    /^(services|libs|packages)\/[^/]+\/src\//.test(path) &&
    !/\.test\.ts$|^libs\/(testing|certificates)\/|\/src\/testing\//.test(path),
);

/** `keys`, `ledger` and so on: the folders in services/ that have a main.ts. */
export const SERVICES = CODE.flatMap(
  ({ path }) => /^services\/([^/]+)\/src\/main\.ts$/.exec(path)?.[1] ?? [],
);

export function exists(path: string): boolean {
  return FILES.some((file) => file.path === path);
}

export function textOf(path: string): string {
  const file = FILES.find((each) => each.path === path);
  if (!file) throw new Error(`there is no ${path}`);
  return file.text;
}

/** The text of a file that an earlier generator of this run may have written. */
export function currentTextOf(path: string): string {
  return readFileSync(resolve(ROOT, path), "utf8");
}

export function yamlOf(path: string): Node {
  return parse(textOf(path), { merge: true }) as Node;
}

/** The first group of each match. */
export function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = ""]) => found);
}

const TABLES = new Map<string, readonly Setting<unknown>[]>(
  await Promise.all(
    SERVICES.map(async (service): Promise<[string, readonly Setting<unknown>[]]> => {
      const { SETTINGS } = await import(join(ROOT, `services/${service}/src/config.ts`));
      return [service, Object.values(SETTINGS)];
    }),
  ),
);

/** The settings that a service declares. */
export function tableOf(service: string): readonly Setting<unknown>[] {
  return TABLES.get(service) ?? [];
}

/** The variables that a service reads. */
export function settingsOf(service: string): ReadonlySet<string> {
  return new Set(tableOf(service).map(({ env }) => env));
}

/** The variables that `npm start` reads. */
export const LOCAL_SETTINGS: readonly string[] = matches(
  textOf("deploy/local/src/settings.ts"),
  /name: "(ANNALS_\w+)"/g,
);

/** What a service is called in the values of the chart. */
export function memberOf(service: string): string {
  return service === "webhook-dispatcher" ? "webhookDispatcher" : service;
}

/** Every metric that a program declares, with its kind. */
export const METRICS: ReadonlyMap<string, string> = new Map(
  PRODUCT.flatMap(({ text }) =>
    [...text.matchAll(/new (Counter|Gauge|Histogram)(?:<[^>]*>)?\(\{\s*name: "(\w+)"/g)].map(
      ([, kind = "", name = ""]): [string, string] => [name, kind],
    ),
  ),
);

function walk(folder: string): SourceFile[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = join(folder, entry.name);
    const path = relative(ROOT, full);
    if (LEFT_OUT.has(entry.name) || GENERATED.test(path)) return [];
    if (entry.isDirectory()) return walk(full);
    return TEXT.test(path) ? [{ path, text: readFileSync(full, "utf8") }] : [];
  });
}

/** Replaces what stands between the two groups of `around`. */
export function filled(text: string, around: RegExp, lines: readonly string[]): string {
  if (!around.test(text)) throw new Error(`nothing matches ${around.source}`);
  return text.replace(around, (_, before: string, after: string) =>
    [before, ...lines, after].join(""),
  );
}
