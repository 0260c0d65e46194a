// A base backup of a running system's PostgreSQL with archived WAL, and systems restored from it: the
// commands of docs/operators/backup.md. Called by restore.test.ts. It must never change the files of the
// system that it copies.

import { execFile } from "node:child_process";
import { cpSync, existsSync, realpathSync, rmSync } from "node:fs";
import { appendFile, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { eventually } from "@annals/testing";
import { copyCluster, makeFolder, writeOwned } from "./base-backup.ts";
import type { Testbed } from "./testbed.ts";
import { processesOf } from "./testbed.ts";

const run = promisify(execFile);
/** Beside the database: the password, the keys that seal webhook secrets and sign the log, export files. */
const BESIDE = ["database-password", "webhook-secret-key", "log-key", "bootstrap-key", "exports"];

function targetOf(until: string | { readonly point: string } | undefined): string[] {
  if (until === undefined) return [];
  return typeof until === "string"
    ? [`recovery_target_time = '${until}'`]
    : [`recovery_target_name = '${until.point}'`];
}

export class Backups {
  readonly #folder: string;
  readonly #cluster: string;
  readonly #archive: string;
  readonly #stack: Testbed["stack"];
  readonly #owner: Pick<Testbed["owner"], "query">;
  readonly #made: string[] = [];

  private constructor({ stack, owner }: Pick<Testbed, "stack" | "owner">) {
    this.#stack = stack;
    this.#owner = owner;
    this.#folder = stack.dataDir;
    // Beside the cluster: its user can reach it there.
    this.#cluster = realpathSync(join(stack.dataDir, "postgres"));
    this.#archive = this.#own(`${this.#cluster}-archive`);
  }

  /** Archives the write-ahead log from now on. Restarts PostgreSQL. */
  static async open(bed: Pick<Testbed, "stack" | "owner">): Promise<Backups> {
    const backups = new Backups(bed);
    const command = `test ! -f ${backups.#archive}/%f && cp %p ${backups.#archive}/%f`;
    await bed.owner.query("ALTER SYSTEM SET archive_mode = on");
    await bed.owner.query(`ALTER SYSTEM SET archive_command = '${command}'`);
    await processesOf(bed.stack, "postgres")[0]?.restart();
    return backups;
  }

  /** The base backup. */
  async base(): Promise<string> {
    const copy = `${this.#cluster}-base`;
    this.#made.push(copy);
    await copyCluster(this.#stack.databaseUrl, this.#cluster, copy);
    return copy;
  }

  /** Resolves when the archive has everything up to now. */
  async archived(): Promise<void> {
    const [row] = await this.#owner.query("SELECT pg_walfile_name(pg_switch_wal()) AS name");
    const file = join(this.#archive, String(row?.["name"]));
    await eventually("the log is archived", () => existsSync(file));
  }

  /**
   * A data directory with the backup, that recovers to a time, to a restore point, or to the end of the
   * archive.
   */
  async restored(base: string, until?: string | { readonly point: string }): Promise<string> {
    const dataDir = await mkdtemp(join(tmpdir(), "annals-restored-"));
    this.#made.push(dataDir);
    const cluster = `${this.#cluster}-restored-${this.#made.length}`;
    this.#made.push(cluster);
    await run("cp", ["-a", base, cluster]);
    await run("ln", ["-s", cluster, join(dataDir, "postgres")]);
    const settings = [
      "archive_mode = off",
      `restore_command = 'cp ${this.#archive}/%f %p'`,
      ...targetOf(until),
      "recovery_target_action = promote",
    ];
    await appendFile(join(cluster, "postgresql.auto.conf"), `${settings.join("\n")}\n`);
    await writeOwned(join(cluster, "recovery.signal"), "", cluster);
    for (const name of BESIDE) {
      const from = join(this.#folder, name);
      if (existsSync(from)) cpSync(from, join(dataDir, name), { recursive: true });
    }
    return dataDir;
  }

  remove(): void {
    for (const path of this.#made) rmSync(path, { recursive: true, force: true });
    for (const path of [this.#cluster, this.#folder])
      rmSync(path, { recursive: true, force: true });
  }

  /** A folder of PostgreSQL's user. */
  #own(path: string): string {
    makeFolder(path, this.#cluster);
    this.#made.push(path);
    return path;
  }
}
