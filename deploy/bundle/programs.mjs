// Bundles each service and each command with all that it imports, for the programs that tests start: Node.js
// loads a bundle in a third of the time that the sources take. Called by bootstrap.mjs before tests; a
// product never runs it. It writes only if a source has changed, and the marker last.
//
//   node deploy/bundle/programs.mjs

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** The modules that Node.js starts, by the folder of their package: programs, and threads of one. */
const PROGRAMS = {
  "packages/annals": ["main"],
  "packages/annals-verify": ["main", "check-worker"],
  "services/export": ["main"],
  "services/gateway": ["main"],
  "services/keys": ["main"],
  "services/ledger": ["main"],
  "services/webhook-dispatcher": ["main"],
};
const SOURCES = ["{services,libs,packages}/*/src/**/*.ts", "proto/gen/**/*.ts", "pnpm-lock.yaml"];

/** It is as deep as the sources, so that paths from a module to files beside it stay right. */
const FOLDER = "dist/bundle";
const STAMP = "stamp";

/** What CommonJS packages expect in an ES module. */
const BANNER = [
  `import { createRequire as annalsCreateRequire } from "node:module";`,
  `const require = annalsCreateRequire(import.meta.url);`,
  `const __filename = import.meta.filename;`,
  `const __dirname = import.meta.dirname;`,
].join("\n");

const stamp = stampOf(SOURCES);
await Promise.all(Object.entries(PROGRAMS).map((program) => bundleProgram(...program)));

function stampOf(patterns) {
  const digest = createHash("sha256").update(readFileSync(import.meta.filename));
  for (const path of globSync(patterns, { cwd: ROOT }).toSorted()) {
    if (path.includes("node_modules") || path.endsWith(".test.ts")) continue;
    digest.update(`\0${path}\0`).update(readFileSync(join(ROOT, path)));
  }
  return digest.digest("hex");
}

async function bundleProgram(path, modules) {
  const folder = join(ROOT, path, FOLDER);
  if (existsSync(join(folder, STAMP)) && readFileSync(join(folder, STAMP), "utf8") === stamp)
    return;
  const fresh = `${folder}.${process.pid}`;
  rmSync(fresh, { recursive: true, force: true });
  await build({
    entryPoints: modules.map((module) => join(ROOT, path, "src", `${module}.ts`)),
    outdir: fresh,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    conditions: ["source"],
    banner: { js: BANNER },
    external: ["pg-native"],
    sourcemap: "linked",
    tsconfigRaw: {},
    logLevel: "error",
  });
  const { version } = JSON.parse(readFileSync(join(ROOT, "libs/chassis/package.json"), "utf8"));
  writeFileSync(join(folder, "../package.json"), JSON.stringify({ type: "module", version }));
  writeFileSync(join(fresh, STAMP), stamp);
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
}
