// The image of this machine's architecture, as an archive that `docker load`, containerd and buildah take.
// Called by main.ts. It must never push, and never keep an archive whose contents are not what
// deploy/Dockerfile promises.

import { createReadStream, createWriteStream, rmSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Facts } from "./facts.ts";
import { checkImage, type ImageLayer } from "./image-contents.ts";
import { makeWithoutRegistry } from "./image-without-registry.ts";
import { succeeds, ROOT, run } from "./run.ts";

/** What Docker calls the architectures of Node.js. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** Builds the image under `name` and writes it, not compressed. */
const BUILDS = {
  async docker(words: readonly string[], name: string, archive: string): Promise<void> {
    await run(ROOT, "docker", ["build", ...words]);
    await run(ROOT, "docker", ["save", "--output", archive, name]);
  },
  async buildah(words: readonly string[], name: string, archive: string): Promise<void> {
    await run(ROOT, "buildah", ["bud", "--layers", ...words]);
    await run(ROOT, "buildah", ["push", name, `docker-archive:${archive}:${name}`]);
  },
};

function wordsOf(facts: Facts, name: string, source: string): string[] {
  const labels = {
    VERSION: facts.version,
    REVISION: facts.revision,
    CREATED: facts.committedAt.toISOString(),
    SOURCE: source,
  };
  const given = Object.entries(labels).flatMap(([key, value]) => [
    "--build-arg",
    `${key}=${value}`,
  ]);
  return ["--file", "deploy/Dockerfile", "--tag", name, ...given, "."];
}

/**
 * Returns the layers, or undefined if no program can build one. `cluster` is the folder that
 * ANNALS_TEST_CLUSTER names (CONTRIBUTING.md): its program builds if no registry of images can be
 * reached.
 */
export async function makeImage(
  facts: Facts,
  out: string,
  { cluster = "", source = "" },
): Promise<ImageLayer[] | undefined> {
  const name = `annals:${facts.version}`;
  const archive = join(
    out,
    `annals-${facts.version}-linux-${ARCHITECTURES[process.arch] ?? process.arch}.tar`,
  );
  const words = wordsOf(facts, name, source);
  try {
    if (cluster !== "") await makeWithoutRegistry(cluster, ROOT, archive, name);
    else if (await succeeds("docker", "info")) await BUILDS.docker(words, name, archive);
    else if (await succeeds("buildah", "--version")) await BUILDS.buildah(words, name, archive);
    else return undefined;
    const { layers, faults } = await checkImage(archive);
    if (faults.length > 0)
      throw new Error(`the image is not what it has to be:\n${faults.join("\n")}`);
    await pipeline(
      createReadStream(archive),
      createGzip({ level: 9 }),
      createWriteStream(`${archive}.gz`),
    );
    return layers;
  } finally {
    rmSync(archive, { force: true });
  }
}
