// Guarantees of a cluster whose worker is killed under load and comes back: no request of an account of the
// other worker fails, its webhooks are delivered in time; those of the lost worker are refused with 500 and
// Retry-After within a second; afterwards every chain verifies, and nothing acknowledged is lost or doubled.
// The same for a worker that is added, and takes shards over under load.

import { CertificateAuthority } from "@annals/certificates";
import { eventually, Subscriber } from "@annals/testing";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { report } from "../faults/report.ts";
import { beginLoads, flowing } from "../system/flowing-loads.ts";
import type { Load } from "../system/load.ts";
import { metricOf } from "../system/metric-of.ts";
import { processesOf, retryFaults, startTestbed, type Testbed } from "../system/testbed.ts";
import { distributeOver, type Node, runOn, startNode } from "./cluster.ts";

const DATABASE = "annals";
const ACCOUNTS_OF_EACH = 2;
const WRITERS = 4;
const FLOW_WITHIN_MS = 60_000;
const AWAY_MS = 12_000;
const REFUSED_WITHIN_MS = 1_000;
const DELIVERED_WITHIN_MS = 5_000;

type Account = Awaited<ReturnType<Testbed["account"]>>;

let nodes: Node[];
let bed: Testbed;
let authority: CertificateAuthority;
let folder: string;
const newNode = () => startNode(process.env["CITUS_ROOT"] ?? "");

beforeAll(async () => {
  nodes = await Promise.all([newNode(), newNode(), newNode()]);
  await distributeOver(nodes, DATABASE);
  authority = await CertificateAuthority.create();
  folder = await mkdtemp(join(tmpdir(), "annals-ca-"));
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, authority.cert);
  bed = await startTestbed({
    databaseUrl: nodes[0]?.url,
    isMigrated: true,
    env: {
      "webhook-dispatcher": {
        ANNALS_WEBHOOK_CA_FILE: caFile,
        ANNALS_WEBHOOK_DANGEROUS_ALLOW_PRIVATE_ADDRESSES: "true",
      },
    },
  });
});
afterAll(async () => {
  await bed?.stop();
  for (const node of nodes ?? []) await node.stop();
  if (folder) await rm(folder, { recursive: true });
});

/** New accounts whose shard is on the worker of this port. */
async function accountsOf(port: number | undefined): Promise<Account[]> {
  const found: Account[] = [];
  while (found.length < ACCOUNTS_OF_EACH) {
    const account = await bed.account();
    const [row] = await bed.owner.query<{ nodeport: number }>(
      `SELECT nodeport FROM pg_dist_shard_placement
       WHERE shardid = get_shard_id_for_distribution_column('ledger.heads', $1::text)`,
      [account.accountId],
    );
    if (row?.nodeport === port) found.push(account);
  }
  return found;
}

const begin = (of: readonly Account[]) =>
  beginLoads(of, { withinMs: FLOW_WITHIN_MS, writers: WRITERS });

/** Every promise of the consistency check, for every account. */
async function checkAll(of: readonly Account[], loads: readonly Load[]): Promise<void> {
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

const outcomesOf = (loads: readonly Load[]) =>
  loads.flatMap(({ appends }) => appends.flatMap(({ outcomes }) => outcomes));

/** The processes that are not ready: their callers would lose them for every account. */
async function unready(): Promise<string[]> {
  const answers = await Promise.all(
    bed.stack.processes.map(async ({ adminUrl, service }) => {
      if (adminUrl === undefined) return [];
      const { ok } = await fetch(`${adminUrl}/readyz`);
      return ok ? [] : [service];
    }),
  );
  return answers.flat();
}

/** A subscriber of the account's events. */
async function subscriberOf(account: Account): Promise<Subscriber> {
  const subscriber = await Subscriber.start(authority);
  onTestFinished(() => subscriber.close());
  const webhook = { url: subscriber.url(), events: ["event.created"] };
  expect((await account.clients[0]?.post("/v1/webhooks", webhook))?.status).toBe(201);
  return subscriber;
}

test("a worker that is killed for 12 s under load costs its own accounts only", async () => {
  const [others, own] = [await accountsOf(nodes[1]?.port), await accountsOf(nodes[2]?.port)];
  // An account without other events: its deliveries wait for nothing but the cluster.
  const [watched] = await accountsOf(nodes[1]?.port);
  const receiver = await subscriberOf(watched!);
  const events = watched!.load();
  // Deliveries of the lost worker are due beside those of the others.
  for (const account of own) await subscriberOf(account);
  const [loadsOfOthers, loadsOfOwn] = [await begin(others), await begin(own)];
  const [server] = processesOf(nodes[2]!.stack, "postgres");
  const killedAt = performance.now();
  // Also where the test fails.
  onTestFinished(() => server?.start());
  expect(server?.kill("SIGKILL")).toBe(true);
  await server?.stop();
  const deliveredMs: number[] = [];
  while (performance.now() < killedAt + AWAY_MS) {
    const sentAt = performance.now();
    const { stored } = await events.one();
    expect(stored).toBeDefined();
    await eventually("it is delivered", () =>
      receiver.received.some(({ body }) => body.includes(stored!.id)),
    );
    deliveredMs.push(performance.now() - sentAt);
    await pause(500);
  }
  expect(await unready()).toStrictEqual([]);
  const [ledger] = processesOf(bed.stack, "ledger");
  const share = await metricOf(ledger?.adminUrl, "annals_accounts_unavailable_ratio");
  expect(share).toBeGreaterThan(0.3);
  expect(share).toBeLessThan(0.7);
  server?.start();
  await server?.waitReady();
  const backAt = performance.now();
  await flowing([...loadsOfOthers, ...loadsOfOwn], FLOW_WITHIN_MS);
  for (const load of [...loadsOfOthers, ...loadsOfOwn]) await load.stop();
  const isMeanwhile = ({ sentAt }: { sentAt: number }) => sentAt > killedAt && sentAt < backAt;
  expect(outcomesOf(loadsOfOthers).filter(({ stored }) => stored === undefined)).toStrictEqual([]);
  expect(Math.max(...deliveredMs)).toBeLessThan(DELIVERED_WITHIN_MS);
  const refused = outcomesOf(loadsOfOwn).filter(isMeanwhile);
  expect(refused.length).toBeGreaterThan(0);
  report({
    "stored of others": outcomesOf(loadsOfOthers).filter(isMeanwhile).length,
    refused: refused.length,
    "slowest refusal ms": Math.max(...refused.map(({ tookMs }) => tookMs)),
    "slowest delivery ms": Math.max(...deliveredMs),
    "flow again after ms": performance.now() - backAt,
  });
  for (const outcome of refused.filter(({ stored }) => stored === undefined)) {
    expect(outcome.refused?.status, outcome.unanswered).toBe(500);
    expect(outcome.refused?.headers["retry-after"]).toBeDefined();
    expect(outcome.tookMs).toBeLessThan(REFUSED_WITHIN_MS);
  }
  await checkAll([...others, ...own, watched!], [...loadsOfOthers, ...loadsOfOwn, events]);
});

test("a worker that is added takes shards over under load, and no request fails", async () => {
  const all = [...(await accountsOf(nodes[1]?.port)), ...(await accountsOf(nodes[2]?.port))];
  const loads = await begin(all);
  const added = await newNode();
  nodes.push(added);
  const [coordinator] = nodes;
  await runOn(added, DATABASE, "CREATE EXTENSION citus");
  await runOn(coordinator!, DATABASE, `SELECT citus_add_node('127.0.0.1', ${added.port})`);
  const startedAt = performance.now();
  await runOn(coordinator!, DATABASE, "SELECT rebalance_table_shards()");
  const [moved] = await runOn<{ shards: number }>(
    coordinator!,
    DATABASE,
    `SELECT count(*)::integer AS shards FROM pg_dist_shard_placement WHERE nodeport = ${added.port}`,
  );
  expect(moved?.shards).toBeGreaterThan(0);
  const tookMs = performance.now() - startedAt;
  await flowing(loads, FLOW_WITHIN_MS);
  for (const load of loads) await load.stop();
  expect(outcomesOf(loads).filter(({ stored }) => stored === undefined)).toStrictEqual([]);
  await checkAll(all, loads);
  report({
    "shards moved": moved?.shards ?? 0,
    "took ms": tookMs,
    stored: outcomesOf(loads).length,
  });
});
