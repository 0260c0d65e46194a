// Makes the files that browsers load, each a self-contained ES module. Called by bootstrap.mjs before a
// program starts, by deploy/Dockerfile, and before a package is packed. A package has one line in BUNDLES. It
// must never leave a half-written file: a gateway may read it meanwhile.
//
//   node deploy/bundle/bundle.mjs [package…]      by default all of them

import { build } from "esbuild";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { IN_BROWSERS } from "./in-browsers.mjs";

const ROOT = join(import.meta.dirname, "../..");

/** What is written, and the source that it is made of. */
const BUNDLES = {
  "packages/dashboard/dist/check-worker.js": "packages/annals-verify/src/browser-worker.ts",
  "packages/dashboard/dist/console.js": "packages/dashboard/src/console/main.ts",
  "packages/dashboard/dist/dashboard.js": "packages/dashboard/src/main.ts",
  "packages/viewer/dist/viewer.js": "packages/viewer/src/index.ts",
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.keys(BUNDLES).some((file) => isOf(file, name)));
if (unknown.length > 0) throw new Error(`nothing is bundled of ${unknown.join(", ")}`);

await Promise.all(
  Object.entries(BUNDLES)
    .filter(([file]) => wanted.length === 0 || wanted.some((name) => isOf(file, name)))
    .map(([file, source]) => bundle(join(ROOT, file), join(ROOT, source))),
);

function isOf(file, name) {
  return file.startsWith(`${name}/`);
}

async function bundle(file, source) {
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    minify: true,
    // What is written for Node; nothing else gets its replacements.
    ...(source.includes("annals-verify") && IN_BROWSERS),
    target: "es2022",
    conditions: ["source"],
    charset: "utf8",
    legalComments: "eof",
    tsconfigRaw: {},
    plugins: [{ name: "unindent", setup: unindent }],
    logLevel: "error",
  });
  const [{ contents }] = outputFiles;
  const before = await readFile(file).catch(() => undefined);
  if (before?.equals(contents)) return;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.${process.pid}`, contents);
  await rename(`${file}.${process.pid}`, file);
}

/** HTML does not show the indentation of templates in their source. */
function unindent({ onLoad }) {
  onLoad({ filter: /packages\/(dashboard|viewer)\/src\/.*\.ts$/ }, async ({ path }) => {
    const text = await readFile(path, "utf8");
    return { contents: text.replace(/\n +/g, "\n"), loader: "ts" };
  });
}
