// The previous release: its chart, its image on the node, and the migrations that it lacks. Called by
// release-before.test.ts. It must never change the checkout.

import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import { makeWithoutRegistry } from "../../deploy/release/image-without-registry.ts";
import { previousRelease } from "../../deploy/release/previous-release.ts";
import { CACHE } from "./cluster.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const MIGRATING = ["keys", "ledger", "export", "webhook-dispatcher"];

export interface Release {
  /** Of its image. */
  readonly tag: string;
  readonly chart: string;
  /** The migrations that HEAD has and it has not, of each service. */
  readonly lacks: Readonly<Record<string, readonly string[]>>;
  readonly remove: () => void;
}

export async function releaseBefore(): Promise<Release> {
  const commit = await previousRelease();
  const tag = commit.slice(0, 12);
  const folder = mkdtempSync(join(tmpdir(), "annals-release-before-"));
  const remove = () => rmSync(folder, { recursive: true });
  try {
    const sources = join(folder, "sources.tar");
    await run("git", "-C", ROOT, "archive", "--output", sources, commit);
    await run("tar", "--extract", "--file", sources, "--directory", folder);
    rmSync(sources);
    await load(folder, tag);
    const lacks = await Promise.all(
      MIGRATING.map(async (service) => {
        const had = await migrationsOf(commit, service);
        const has = await migrationsOf("HEAD", service);
        return [service, has.filter((name) => !had.includes(name))] as const;
      }),
    );
    return { tag, chart: join(folder, "helm/annals"), lacks: Object.fromEntries(lacks), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Builds the image where the cache lacks it. With KUBECONFIG alone the nodes have it. */
async function load(folder: string, tag: string): Promise<void> {
  const { program } = inject("cluster");
  if (program === undefined) return;
  const archive = join(CACHE, `release-${tag}.tar`);
  if (!existsSync(archive)) {
    await makeWithoutRegistry(dirname(program), folder, `${archive}.part`, `annals:${tag}`);
    renameSync(`${archive}.part`, archive);
  }
  await run(program, "load-image", archive);
}

async function migrationsOf(commit: string, service: string): Promise<string[]> {
  const folder = `services/${service}/migrations/`;
  const paths = await lines("ls-tree", "--name-only", commit, folder);
  return paths.map((path) => path.slice(folder.length));
}

async function lines(...words: string[]): Promise<string[]> {
  const text = await run("git", "-C", ROOT, ...words);
  return text.split("\n").filter((line) => line !== "");
}

async function run(program: string, ...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, words, { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}
