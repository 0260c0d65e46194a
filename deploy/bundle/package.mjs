// Makes what is published of a package: bundles and types in which nothing private is left. Called before a
// package is packed. It must leave nothing of an earlier build in the folder that is packed.
//
//   node deploy/bundle/package.mjs packages/sdk

import { build } from "esbuild";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { IN_BROWSERS } from "./in-browsers.mjs";

const ROOT = join(import.meta.dirname, "../..");

/** Ours and not published: it becomes part of what is. */
const PRIVATE = ["@annals/event", "@annals/proof", "@annals/tlog"];

const ESM = { format: "esm" };
const COMMONJS = { format: "cjs", outExtension: { ".js": ".cjs" } };

/** Modules of the SDK that need Node.js: files `node:fs`, contexts `node:async_hooks`. */
const OF_NODE = ["context", "express", "fastify", "hono", "mcp", "nest", "next", "spool"];

/** Packages that an application with these modules has. */
const OF_USERS = ["rxjs"];

/**
 * The modules with types, and the bundles: options of esbuild, and modules by the name of their source.
 */
const PACKAGES = {
  "packages/sdk": {
    types: [
      "index",
      "context",
      "express",
      "fastify",
      "hono",
      "mcp",
      "nest",
      "next",
      "outbox",
      "spool",
      "testing",
    ],
    // The types of the API are in the main module alone, from which the others import them.
    shared: { types: "@annals/sdk" },
    bundles: [
      // Without Node.js: an import of it fails.
      [ESM, ["index", "outbox", "testing"]],
      [COMMONJS, ["index", "outbox", "testing"]],
      [{ ...ESM, platform: "node", external: OF_USERS }, OF_NODE],
      [{ ...COMMONJS, platform: "node", external: OF_USERS }, OF_NODE],
    ],
  },
  "packages/annals-verify": {
    types: ["index", "browser", "browser-worker"],
    bundles: [
      // Chunks: what the command and the library share is in the package once.
      [{ ...ESM, platform: "node", splitting: true }, ["index", "main", "check-worker"]],
      [ESM, ["browser"]],
      [{ ...ESM, ...IN_BROWSERS }, ["browser-worker"]],
    ],
  },
};

/** Warnings: a worker exports nothing. */
const HARMLESS = ["EMPTY_BUNDLE", "UNUSED_EXTERNAL_IMPORT"];

const [name = ""] = process.argv.slice(2);
const wanted = PACKAGES[name];
if (wanted === undefined) throw new Error(`there is no package ${name}`);
const source = (module) => join(ROOT, name, "src", `${module}.ts`);
const out = join(ROOT, name, "dist/npm");

await rm(out, { recursive: true, force: true });
await Promise.all(wanted.bundles.map(([options, modules]) => bundle(options, modules)));
for (const module of wanted.types) await writeTypes(module);

async function bundle(options, modules) {
  await build({
    entryPoints: modules.map(source),
    outdir: out,
    bundle: true,
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2022",
    conditions: ["source"],
    charset: "utf8",
    tsconfigRaw: {},
    logLevel: "error",
    ...options,
  });
}

/** Bundles one file without imports of others, so that one text serves ES modules and CommonJS. */
async function writeTypes(module) {
  const shared = Object.entries(module === "index" ? {} : (wanted.shared ?? {}));
  const paths = Object.fromEntries(shared.map(([from, to]) => [source(from), to]));
  const types = await rollup({
    external: Object.keys(paths),
    makeAbsoluteExternalsRelative: false,
    input: source(module),
    plugins: [dts({ tsconfig: join(ROOT, name, "tsconfig.json"), includeExternal: PRIVATE })],
    onwarn: ({ code, message }) => {
      if (!HARMLESS.includes(code)) throw new Error(message);
    },
  });
  const file = join(out, `${module}.d.ts`);
  await types.write({ file, format: "es", paths });
  await types.close();
  if (wanted.bundles.some(([{ format }]) => format === COMMONJS.format))
    await copyFile(file, join(out, `${module}.d.cts`));
}
