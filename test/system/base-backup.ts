// A base backup of a running PostgreSQL by SQL and a copy of its folder, since the npm package has no
// pg_basebackup. Called by restored-system.ts and postgres-pair.ts. It must never change the files that it
// copies.

import { execFile } from "node:child_process";
import { chownSync, mkdirSync, rmSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";

/**
 * What is no part of a base backup: the log comes from elsewhere, the rest belongs to the running server.
 */
const LEFT_OUT = ["pg_wal", "postmaster.pid", "postmaster.opts"];

/** Copies the folder `cluster` of the server of `databaseUrl` to `copy`, which is made. */
export async function copyCluster(
  databaseUrl: string,
  cluster: string,
  copy: string,
): Promise<void> {
  makeFolder(copy, cluster);
  const session = new pg.Client({ connectionString: databaseUrl });
  await session.connect();
  try {
    await session.query("SELECT pg_backup_start('annals', fast => true)");
    await promisify(execFile)("cp", ["-a", `${cluster}/.`, copy]);
    const { rows } = await session.query<{ labelfile: string }>(
      "SELECT labelfile FROM pg_backup_stop(wait_for_archive => true)",
    );
    for (const name of LEFT_OUT) rmSync(join(copy, name), { recursive: true, force: true });
    makeFolder(join(copy, "pg_wal"), cluster);
    await writeOwned(join(copy, "backup_label"), rows[0]?.labelfile ?? "", cluster);
  } finally {
    await session.end();
  }
}

/** A folder of the user whose `cluster` is. */
export function makeFolder(path: string, cluster: string): void {
  mkdirSync(path, { mode: 0o700 });
  give(path, cluster);
}

/** A file of the user whose `cluster` is. */
export async function writeOwned(path: string, text: string, cluster: string): Promise<void> {
  await writeFile(path, text);
  give(path, cluster);
}

function give(path: string, cluster: string): void {
  const { uid, gid } = statSync(cluster);
  chownSync(path, uid, gid);
}
