// A Citus cluster for a test run: a coordinator and workers from the folder `CITUS_ROOT`, which has bin, lib
// and share of a PostgreSQL with Citus. Called by the global setup and by the tests that kill or add a
// worker. It must never listen beyond the loopback interface: its servers ask for no password.

import { removeData, type Stack } from "@annals/local";
import { distribute } from "@annals/postgres";
import { ownerOf } from "@annals/testing";
import { glob, mkdtemp, readFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeOwned } from "../system/base-backup.ts";
import { startConstellation } from "../system/constellation.ts";
import { migrateSchemas } from "../system/schemas.ts";

const ALL_BUT_POSTGRES = [
  "nats",
  "gateway",
  "keys",
  "ledger",
  "export",
  "webhook-dispatcher",
] as const;

/** Settings of each server: what Citus requires, and what a test run saves. */
const SETTINGS = `
shared_preload_libraries = 'citus'
wal_level = logical
max_worker_processes = 32
max_prepared_transactions = 200
max_replication_slots = 32
max_wal_senders = 32
citus.local_hostname = '127.0.0.1'
`;
/** What saves time in tests, or shows more, and would make a measurement wrong. */
const FOR_TESTS = `
fsync = off
log_error_verbosity = verbose
citus.max_adaptive_executor_pool_size = 2
`;
/** Servers of Citus connect to each other as the role of the statement. */
const TRUST = "host all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n";

/** Few, so that a database is quickly copied: each table has this many on the workers together. */
const SHARDS = 4;

/** The tables of keys stay on the coordinator. */
const DISTRIBUTED = ["ledger", "exports", "webhooks"];

/** One server of a cluster. */
export interface Node {
  readonly stack: Stack;
  /** The URL of its owner's database. */
  readonly url: string;
  readonly port: number;
  readonly stop: () => Promise<void>;
}

/** What a server of Citus logs of a refusal, up to the statement and its name. */
const REFUSAL = /ERROR: {2}0A000: (.*)\n(?:.*\n){0,4}?.*STATEMENT: {2}(?:\/\* (\S+) \*\/)?/g;

/** Which statements Citus has refused on a server since its start, why, and how often. */
export async function refusalsOf({ stack }: Pick<Node, "stack">): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const logs = glob(join(stack.dataDir, "log/postgres*.log"));
  for await (const file of logs)
    for (const [, why = "", name = "a test"] of (await readFile(file, "utf8")).matchAll(REFUSAL)) {
      const reason = `${why} (${name})`;
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
  return counts;
}

/** Starts a server of Citus on a data directory that was restored, with a port of its own. */
export async function startRestored(citusRoot: string, dataDir: string): Promise<Node> {
  const stack = await startConstellation({
    dataDir,
    without: [...ALL_BUT_POSTGRES],
    postgresBinaries: join(citusRoot, "bin"),
  });
  return nodeOf(stack);
}

/** Starts a server of Citus that knows no other. */
export async function startNode(citusRoot: string, settings = FOR_TESTS): Promise<Node> {
  const stack = await startConstellation({
    // A directory of its own keeps the cluster over the restart.
    dataDir: await mkdtemp(join(tmpdir(), "annals-citus-")),
    without: [...ALL_BUT_POSTGRES],
    postgresBinaries: join(citusRoot, "bin"),
  });
  const cluster = await realpath(join(stack.dataDir, "postgres"));
  await writeOwned(join(cluster, "postgresql.auto.conf"), SETTINGS + settings, cluster);
  await writeOwned(join(cluster, "pg_hba.conf"), TRUST, cluster);
  const [server] = stack.processes.filter(({ service }) => service === "postgres");
  await server?.restart();
  return nodeOf(stack);
}

function nodeOf(stack: Stack): Node {
  const url = stack.databaseUrl;
  const stop = async () => {
    await stack.stop(true);
    removeData(stack.dataDir);
  };
  return { stack, url, port: Number(new URL(url).port), stop };
}

/** Makes Citus available in the database of this name on each server. The first is the coordinator. */
export async function joinNodes(
  nodes: readonly Pick<Node, "url" | "port">[],
  database: string,
): Promise<void> {
  const [coordinator] = nodes;
  for (const node of nodes) await runOn(node, database, "CREATE EXTENSION citus");
  for (const { port } of nodes) {
    const statement =
      port === coordinator?.port
        ? `SELECT citus_set_coordinator_host('127.0.0.1', ${port})`
        : `SELECT citus_add_node('127.0.0.1', ${port})`;
    if (coordinator) await runOn(coordinator, database, statement);
  }
}

/** Joins the nodes, migrates the database of this name, and distributes its tables of accounts. */
export async function distributeOver(nodes: readonly Node[], database: string): Promise<void> {
  await joinNodes(nodes, database);
  const connectionString = urlOf(nodes[0]?.url ?? "", database);
  await migrateSchemas(connectionString);
  for (const schema of DISTRIBUTED)
    await distribute({
      connectionString,
      schema,
      servesAnywhere: schema === "ledger",
      shards: SHARDS,
      copies: false,
      applies: true,
    });
}

/** A cluster of a coordinator and two workers for a measurement, with the tables distributed. */
export async function startDurableCluster(citusRoot: string) {
  const nodes = await Promise.all([1, 2, 3].map(() => startNode(citusRoot, "")));
  await distributeOver(nodes, "annals");
  const stop = async () => {
    for (const node of nodes) await node.stop();
  };
  return { databaseUrl: nodes[0]?.url ?? "", stop };
}

/** Runs a statement as the owner in a database of a server. */
export async function runOn<Row extends object>(
  { url }: Pick<Node, "url">,
  database: string,
  statement: string,
): Promise<Row[]> {
  const owner = ownerOf(urlOf(url, database));
  try {
    return await owner.query<Row>(statement);
  } finally {
    await owner.close();
  }
}

function urlOf(url: string, database: string): string {
  return Object.assign(new URL(url), { pathname: `/${database}` }).href;
}
