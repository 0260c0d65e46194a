// What `npm run dist` runs: makes everything that a release has, in the folder dist, and publishes nothing.
// The release workflow runs the same and publishes what it finds there. It must never leave a folder that
// looks complete after a failure: the checksums come last.
//
//   npm run dist -- [--tag v1.2.3] [--out FOLDER] [--without-image]

import { createHash } from "node:crypto";
import { createReadStream, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { packChart } from "./chart.ts";
import { readFacts } from "./facts.ts";
import { homeOfModule, packGo } from "./go-module.ts";
import { makeImage } from "./image.ts";
import { packPython } from "./python-package.ts";
import { packPackages, publicPackages } from "./npm-packages.ts";
import { releaseNotes } from "./release-notes.ts";
import { ROOT } from "./run.ts";
import { writeImageSbom, writePackageSbom } from "./sbom.ts";

const OPTIONS = {
  tag: { type: "string" },
  out: { type: "string", default: join(ROOT, "dist") },
  "without-image": { type: "boolean", default: false },
} as const;

try {
  const { values } = parseArgs({ options: OPTIONS });
  await make(values.tag, resolve(values.out), values["without-image"]);
} catch (error) {
  process.stderr.write(`${(error as Error).message.replaceAll(/^/gm, "dist: ")}\n`);
  process.exitCode = 1;
}

async function make(tag: string | undefined, out: string, withoutImage: boolean): Promise<void> {
  const facts = await readFacts(tag);
  const { version, committedAt } = facts;
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const faults = await packPackages(version, out, repository());
  if (tag !== undefined && faults.length > 0) throw new Error(faults.join("\n"));
  for (const fault of faults) say(`left out, and an error with --tag: ${fault}`);
  const withoutPython = await packPython(version, committedAt, out);
  if (tag !== undefined && withoutPython !== undefined) throw new Error(withoutPython);
  if (withoutPython !== undefined) say(`no package for Python: ${withoutPython}`);
  const faultsOfGo = await packGo(version, out, repository());
  if (tag !== undefined && faultsOfGo.length > 0) throw new Error(faultsOfGo.join("\n"));
  for (const fault of faultsOfGo) say(`an error with --tag: ${fault}`);
  await packChart(version, committedAt, out);
  await writeImageSbom(join(out, `annals-${version}.cdx.json`), facts);
  for (const { manifest } of publicPackages()) {
    const name = manifest.name.replace("@", "").replace("/", "-");
    await writePackageSbom(join(out, `${name}-${version}.npm.cdx.json`), facts, manifest.name);
  }
  const notes = releaseNotes(facts.notes, version, repository() || homeOfModule());
  writeFileSync(join(out, "RELEASE_NOTES.md"), `${notes}\n`);
  if (!withoutImage) await image(facts, out);
  const files = readdirSync(out).toSorted();
  const sums = await Promise.all(
    files.map(async (name) => `${await sha256(join(out, name))}  ${name}\n`),
  );
  writeFileSync(join(out, "SHA256SUMS"), sums.join(""));
  for (const name of files) say(`${size(statSync(join(out, name)).size)}  ${name}`);
}

/** Its address, if a workflow runs; empty otherwise. */
function repository(): string {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
  return GITHUB_REPOSITORY === undefined ? "" : `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
}

async function image(facts: Awaited<ReturnType<typeof readFacts>>, out: string): Promise<void> {
  const { ANNALS_TEST_CLUSTER } = process.env;
  const cluster = ANNALS_TEST_CLUSTER === "none" ? "" : (ANNALS_TEST_CLUSTER ?? "");
  const layers = await makeImage(facts, out, { cluster, source: repository() });
  if (!layers) return say("no image: neither a running docker nor buildah is there");
  say("compressed  uncompressed  layer of the image");
  for (const { bytes, compressed, made } of layers)
    say(`${size(compressed)}  ${size(bytes)}  ${made.replace(/^.*#\(nop\) /, "").slice(0, 60)}`);
}

async function sha256(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

function size(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`.padStart(10);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
