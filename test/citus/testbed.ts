// What the tests over a cluster of their own stand on: a coordinator, two workers and a system over them,
// with accounts of a given worker. Each file starts one and stops it.

import { CertificateAuthority } from "@annals/certificates";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { beginLoads } from "../system/flowing-loads.ts";
import type { Load } from "../system/load.ts";
import { retryFaults, startTestbed, type Testbed } from "../system/testbed.ts";
import { distributeOver, type Node, runOn, startNode } from "./cluster.ts";

export type Account = Awaited<ReturnType<Testbed["account"]>>;

const DATABASE = "annals";
const ACCOUNTS_OF_EACH = 2;
const WRITERS = 4;
export const FLOW_WITHIN_MS = 60_000;

export interface CitusBed {
  readonly bed: Testbed;
  /** The coordinator, then the workers. */
  readonly nodes: Node[];
  /** Signs the certificates of subscribers. */
  readonly authority: CertificateAuthority;
  /** URL of the system's database on a node. */
  readonly urlOf: (node: Node) => string;
  /** Runs a statement as the owner on a node, by default on the coordinator. */
  readonly run: <Row extends object>(statement: string, node?: Node) => Promise<Row[]>;
  /** Starts one more server, which is no worker yet. */
  readonly addNode: () => Promise<Node>;
  readonly stop: () => Promise<void>;
}

const newNode = (): Promise<Node> => startNode(process.env["CITUS_ROOT"] ?? "");

export async function startCitusBed({
  env,
  ...given
}: Partial<Parameters<typeof startTestbed>[0]> = {}): Promise<CitusBed> {
  const nodes = await Promise.all([newNode(), newNode(), newNode()]);
  await distributeOver(nodes, DATABASE);
  const authority = await CertificateAuthority.create();
  const folder = await mkdtemp(join(tmpdir(), "annals-ca-"));
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, authority.cert);
  const [coordinator] = nodes;
  const bed = await startTestbed({
    databaseUrl: coordinator.url,
    isMigrated: true,
    env: {
      ...env,
      "webhook-dispatcher": {
        ANNALS_WEBHOOK_CA_FILE: caFile,
        ANNALS_WEBHOOK_DANGEROUS_ALLOW_PRIVATE_ADDRESSES: "true",
      },
    },
    ...given,
  });
  return {
    bed,
    nodes,
    authority,
    urlOf: ({ url }) => Object.assign(new URL(url), { pathname: `/${DATABASE}` }).href,
    run: (statement, node = coordinator) => runOn(node, DATABASE, statement),
    addNode: async () => {
      const added = await newNode();
      nodes.push(added);
      await runOn(added, DATABASE, "CREATE EXTENSION citus");
      return added;
    },
    stop: async () => {
      await bed.stop();
      for (const node of nodes) await node.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** The port of the worker that has the account's rows. */
export async function portOf({ run }: Pick<CitusBed, "run">, accountId: string): Promise<number> {
  const [row] = await run<{ nodeport: number }>(
    `SELECT nodeport FROM pg_dist_shard_placement
     WHERE shardid = get_shard_id_for_distribution_column('ledger.heads', '${accountId}')`,
  );
  return row?.nodeport ?? 0;
}

/** New accounts whose shard is on the worker of this port. */
export async function accountsOf(citus: CitusBed, port: number | undefined): Promise<Account[]> {
  const found: Account[] = [];
  while (found.length < ACCOUNTS_OF_EACH) {
    const account = await citus.bed.account();
    if ((await portOf(citus, account.accountId)) === port) found.push(account);
  }
  return found;
}

export const begin = (of: readonly Account[]): Promise<Load[]> =>
  beginLoads(of, { withinMs: FLOW_WITHIN_MS, writers: WRITERS });

export const outcomesOf = (loads: readonly Load[]) =>
  loads.flatMap(({ appends }) => appends.flatMap(({ outcomes }) => outcomes));

/** Every promise of the consistency check, for every account. */
export async function checkAll(of: readonly Account[], loads: readonly Load[]): Promise<void> {
  for (const [at, account] of of.entries()) {
    const load = loads[at];
    if (load === undefined) continue;
    const before = await account.chain();
    const retried = await load.retryUnacknowledged();
    expect(retryFaults(retried, before)).toStrictEqual([]);
    expect(await account.audit(load.appends)).toStrictEqual([]);
    const verified = await account.clients[0]?.get("/v1/verify");
    expect(verified?.body.data).toMatchObject({ valid: true });
  }
}
