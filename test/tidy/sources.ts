// What the tests of this folder read: every file of the checkout that a person writes, with its
// text. Found by walking, not by asking git, so that the law also holds in a copy without history.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");

export interface SourceFile {
  /** From the root, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** Not written by us, or not kept. */
const LEFT_OUT = new Set(["node_modules", "dist", ".git", ".annals", ".turbo", "coverage"]);
const GENERATED = /^(proto\/gen|pnpm-lock\.yaml|LICENSE$|.*\.tsbuildinfo$)/;
const TEXT = /(\.(ts|mjs|js|json|sql|proto|md|ya?ml|py|sh|toml|tpl|txt)|Dockerfile|\.ci\/run)$/;

/** Every written text file, sorted by path. */
export const FILES: readonly SourceFile[] = walk(ROOT).toSorted((a, b) =>
  a.path < b.path ? -1 : 1,
);

/** Every TypeScript and JavaScript file that is ours, tests included. */
export const CODE: readonly SourceFile[] = FILES.filter(({ path }) => /\.(ts|mjs)$/.test(path));

/**
 * The code that runs in production: of services, libs and packages, without tests and what only
 * tests import.
 */
export const PRODUCT: readonly SourceFile[] = CODE.filter(
  ({ path }) => /^(services|libs|packages)\/[^/]+\/src\//.test(path) && !isForTests(path),
);

function isForTests(path: string): boolean {
  return (
    path.endsWith(".test.ts") ||
    /^(test|libs\/testing)\//.test(path) ||
    /\/src\/testing\//.test(path)
  );
}

/** `keys`, `ledger` and so on: the folders in services/ that have a main.ts. */
export const SERVICES: readonly string[] = CODE.flatMap(
  ({ path }) => /^services\/([^/]+)\/src\/main\.ts$/.exec(path)?.[1] ?? [],
);

/** What `file` imports, as written: `pg`, `./pool.ts`, `node:fs`. */
export function importsOf({ text }: SourceFile): string[] {
  const found = text.matchAll(
    /^import ["']([^"']+)["']|\bfrom ["']([^"']+)["']|\bimport\(["']([^"']+)["']\)/gm,
  );
  return [...found].map(([, bare, named, called]) => bare ?? named ?? called ?? "");
}

/** `node:fs/promises` is node:fs, `@annals/proto/keys` is @annals/proto. */
export function packageOf(specifier: string): string {
  const [first = "", second = ""] = specifier.split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}

function walk(folder: string): SourceFile[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = join(folder, entry.name);
    const path = relative(ROOT, full);
    if (LEFT_OUT.has(entry.name) || GENERATED.test(path)) return [];
    if (entry.isDirectory()) return walk(full);
    return TEXT.test(path) ? [{ path, text: readFileSync(full, "utf8") }] : [];
  });
}
