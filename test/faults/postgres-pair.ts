// A PostgreSQL that is the primary, and a standby that follows it by streaming replication: two servers with
// folders of their own. `service` stands for the name that an operator moves to the new primary. Called by
// failover.test.ts. It must never let the two share a file, nor the services reach a server by another way.

import { removeData, type Stack } from "@annals/local";
import { eventually, ownerOf } from "@annals/testing";
import { copyFile, mkdtemp, realpath, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startConstellation } from "../system/constellation.ts";
import { copyCluster, writeOwned } from "../system/base-backup.ts";
import { Link } from "./network-proxy.ts";
import { runningPostgres } from "./running-postgres.ts";

const SERVICES = ["nats", "gateway", "keys", "ledger", "export", "webhook-dispatcher"] as const;
/** What the standby calls itself, by which the primary waits for it. */
const STANDBY = "standby";
const PASSWORD_FILE = "database-password";

/** One server, reached without the link. */
export interface Server {
  readonly stack: Stack;
  readonly owner: ReturnType<typeof ownerOf>;
  readonly port: number;
}

export class PostgresPair {
  /** The way of the services. */
  readonly service: Link;
  /** The way of the test, so that it does not feel what the services feel. */
  readonly direct: Link;
  primary: Server;
  standby: Server | undefined;
  /** From the standby to the primary. */
  replication: Link | undefined;
  readonly #folders: string[];
  readonly #servers = new Set<Server>();
  readonly #links: Link[];

  private constructor(primary: Server, service: Link, direct: Link) {
    this.primary = primary;
    this.service = service;
    this.direct = direct;
    this.#folders = [primary.stack.dataDir];
    this.#servers.add(primary);
    this.#links = [service, direct];
  }

  static async start(): Promise<PostgresPair> {
    const dataDir = await mkdtemp(join(tmpdir(), "annals-primary-"));
    const primary = await startServer(dataDir);
    const links = await Promise.all([Link.to(primary.port), Link.to(primary.port)]);
    return new PostgresPair(primary, ...links);
  }

  /** The database as the services reach it. */
  get serviceUrl(): string {
    return this.service.through(this.primary.stack.databaseUrl);
  }

  get directUrl(): string {
    return this.direct.through(this.primary.stack.databaseUrl);
  }

  /** Makes a standby of the primary, if it has none, while that is in use; resolves when it streams. */
  async follow(): Promise<void> {
    if (this.standby !== undefined) return;
    const { databaseUrl, dataDir } = this.primary.stack;
    const replication = await Link.to(this.primary.port);
    this.#links.push(replication);
    this.replication = replication;
    const folder = await mkdtemp(join(tmpdir(), "annals-standby-"));
    this.#folders.push(folder);
    const from = await realpath(join(dataDir, "postgres"));
    // Beside the other: PostgreSQL's user can reach it there.
    const copy = `${from}-${this.#folders.length}`;
    await copyCluster(databaseUrl, from, copy);
    const { password, username } = new URL(databaseUrl);
    const conninfo = `host=127.0.0.1 port=${replication.port} user=${username} password=${password} application_name=${STANDBY}`;
    await writeOwned(
      join(copy, "postgresql.auto.conf"),
      `primary_conninfo = '${conninfo}'\nwal_retrieve_retry_interval = '100ms'\n`,
      from,
    );
    await writeOwned(join(copy, "standby.signal"), "", from);
    await symlink(copy, join(folder, "postgres"));
    await copyFile(join(dataDir, PASSWORD_FILE), join(folder, PASSWORD_FILE));
    const standby = await startServer(folder);
    this.#servers.add(standby);
    this.standby = standby;
    await this.#replicating("streaming");
  }

  /** From now on a commit waits until the standby has it. Resolves when the standby has all. */
  async synchronous(): Promise<void> {
    const { owner } = this.primary;
    await owner.query(`ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`);
    await owner.query("SELECT pg_reload_conf()");
    await this.#replicating("sync");
  }

  /** Kills every process of the primary, which does not start again. */
  async kill(): Promise<void> {
    const { kill, gone } = await runningPostgres(this.primary);
    kill(true);
    await this.#end(this.primary);
    await gone();
  }

  /** The standby becomes the primary, and the names lead to it. Resolves to the former primary. */
  async promote({ isSilent = false } = {}): Promise<Server> {
    const { primary, standby } = this;
    if (standby === undefined) throw new Error("there is no standby");
    await standby.owner.query("SELECT pg_promote(wait => true)");
    this.service.moveTo(standby.port, { isSilent });
    this.direct.moveTo(standby.port);
    this.primary = standby;
    this.standby = undefined;
    return primary;
  }

  /** Starts the killed server again on its own files. */
  async revive({ stack }: Server): Promise<Server> {
    const server = await startServer(stack.dataDir);
    this.#servers.add(server);
    return server;
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) await this.#end(server);
    for (const link of this.#links) await link.close();
    for (const folder of this.#folders) removeData(folder);
  }

  async #end(server: Server): Promise<void> {
    this.#servers.delete(server);
    await server.stack.stop(true);
    await server.owner.close();
  }

  #replicating(state: "streaming" | "sync"): Promise<unknown> {
    const column = state === "sync" ? "sync_state" : "state";
    return eventually(`the standby is ${state}`, async () => {
      const rows = await this.primary.owner.query(
        `SELECT 1 FROM pg_stat_replication WHERE ${column} = $1`,
        [state],
      );
      return rows.length === 1;
    });
  }
}

async function startServer(dataDir: string): Promise<Server> {
  const stack = await startConstellation({ dataDir, without: SERVICES });
  const { databaseUrl } = stack;
  return { stack, owner: ownerOf(databaseUrl), port: Number(new URL(databaseUrl).port) };
}
