// The cluster of a test run. With ANNALS_TEST_CLUSTER, a folder with the program `cluster` and the folder
// `images` (CONTRIBUTING.md), it is started where it does not run, gets the images, and is ended where it was
// started here. With KUBECONFIG it is one that runs already and has the images. It must never change a
// cluster that neither names.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { makeWithoutRegistry, NO_SOURCES } from "../../deploy/release/image-without-registry.ts";

const ROOT = resolve(import.meta.dirname, "../..");
export const CACHE = join(ROOT, "node_modules/.cache/annals/images");

/** The names that the chart has by default. */
const IMAGE = `annals:${(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string }).version}`;
const BACKING = { "annals.example/postgres:18": "postgres:18", "annals.example/nats:2": "nats:2" };

/** What deploy/Dockerfile builds from. */
const SOURCES = new RegExp(
  `^(${[
    String.raw`package\.json|pnpm-(lock|workspace)\.yaml|tsconfig\.base\.json|\.dockerignore`,
    String.raw`(patches|packages|proto|libs|services)/.*|deploy/(bundle/.*|Dockerfile|entrypoint\.mjs|node-options\.txt)`,
  ].join("|")})$`,
);
/** Nothing of these runs in the image. */
const LEFT_OUT = /\.(tsbuildinfo|test\.ts)$/;

declare module "vitest" {
  interface ProvidedContext {
    cluster: {
      readonly kubeconfig: string;
      readonly path: string;
      /** The program that runs a command in the node; absent where only KUBECONFIG is given. */
      readonly program?: string;
      /** That of the project's image, where the run has built it. */
      readonly archive?: string;
    };
  }
}

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const {
    ANNALS_TEST_CLUSTER: folder = "",
    KUBECONFIG: kubeconfig = "",
    PATH: path = "",
  } = process.env;
  if (folder === "") {
    if (kubeconfig === "")
      throw new Error(
        "there is no cluster: set ANNALS_TEST_CLUSTER to a folder with the program `cluster`, or KUBECONFIG " +
          `to a cluster whose nodes have ${IMAGE}, postgres:18 and nats:2; ANNALS_TEST_CLUSTER=none runs nothing`,
      );
    provide("cluster", { kubeconfig, path });
    return async () => {};
  }
  const program = join(folder, "cluster");
  const cluster = (...words: string[]) => run(program, ...words);
  const isRunning = await cluster("status").then(
    () => true,
    () => false,
  );
  const down = async (): Promise<void> => {
    if (!isRunning) await cluster("down");
  };
  try {
    // The cluster starts while images are made. Both have ended before it is taken down.
    const both = [images(folder), cluster(isRunning ? "status" : "up")] as const;
    const failed = (await Promise.allSettled(both)).find(({ status }) => status === "rejected");
    if (failed) throw (failed as PromiseRejectedResult).reason;
    const archives = await both[0];
    await cluster("load-image", ...archives);
    const file = (await cluster("kubeconfig")).trim();
    const state = dirname(dirname(file));
    const ctr = ["ctr", "--address", join(state, "run/containerd.sock"), "--namespace", "k8s.io"];
    for (const [from, to] of Object.entries(BACKING))
      await cluster("exec", ...ctr, "images", "tag", "--force", from, `docker.io/library/${to}`);
    const [archive = ""] = archives;
    const parts = { kubeconfig: file, path: `${join(state, "bin")}:${path}`, program, archive };
    provide("cluster", parts);
  } catch (error) {
    await down();
    throw error;
  }
  return down;
}

/** The archives of the images, built where the sources of a kept one are others. */
async function images(folder: string): Promise<string[]> {
  mkdirSync(CACHE, { recursive: true });
  const archive = join(CACHE, `annals-${hashOfSources()}.tar`);
  const backing = ["postgres", "nats"].map((name) => join(CACHE, `${name}.tar`));
  if (!backing.every((file) => existsSync(file)))
    await run(join(folder, "images/make-test-images"), CACHE);
  if (!existsSync(archive)) {
    for (const old of readdirSync(CACHE).filter((name) => name.startsWith("annals-")))
      rmSync(join(CACHE, old));
    const part = join(CACHE, "annals.part");
    await makeWithoutRegistry(folder, ROOT, part, IMAGE);
    renameSync(part, archive);
  }
  return [archive, ...backing];
}

function hashOfSources(): string {
  const hash = createHash("sha256");
  const walk = (path: string): void => {
    for (const entry of readdirSync(join(ROOT, path), { withFileTypes: true }).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const each = path === "" ? entry.name : `${path}/${entry.name}`;
      if (NO_SOURCES.has(entry.name) || LEFT_OUT.test(each)) continue;
      if (entry.isDirectory()) walk(each);
      else if (SOURCES.test(each)) hash.update(`${each}\0`).update(readFileSync(join(ROOT, each)));
    }
  };
  walk("");
  return hash.digest("hex").slice(0, 16);
}

async function run(program: string, ...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, words, { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}
