// The image if no registry of images can be reached: built by the program of a test cluster's folder
// (CONTRIBUTING.md), which makes the base itself. Called by image.ts and by the tests on a cluster. It must
// never build from anything else than the checkout, but for the base's digest.

import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ROOT, run } from "./run.ts";

const DOCKERFILE = "deploy/Dockerfile";
/** Files and folders of a checkout that no image is built from. */
export const NO_SOURCES = new Set([".annals", ".git", ".turbo", "dist", "node_modules"]);

/** `cluster` is the folder. A base made on this machine has another digest than the one that is pinned. */
export async function makeWithoutRegistry(
  cluster: string,
  checkout: string,
  archive: string,
  name: string,
): Promise<void> {
  const copy = await mkdtemp(join(tmpdir(), "annals-image-"));
  try {
    await cp(checkout, copy, {
      recursive: true,
      preserveTimestamps: true,
      verbatimSymlinks: true,
      filter: (path) => path === checkout || !NO_SOURCES.has(basename(path)),
    });
    const pinned = await readFile(join(checkout, DOCKERFILE), "utf8");
    await writeFile(join(copy, DOCKERFILE), withoutDigests(pinned));
    await run(ROOT, join(cluster, "images/make-project-image"), [copy, archive, name]);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** The bases by their tags alone. */
export function withoutDigests(dockerfile: string): string {
  return dockerfile.replaceAll(/^(FROM [^\s@]+)@sha256:[0-9a-f]{64}/gm, "$1");
}
