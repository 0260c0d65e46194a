// Guarantees of a cluster whose worker is killed under load and comes back: no request of an account of the
// other worker fails, its webhooks are delivered in time, and every process stays ready; requests of the lost
// worker's accounts are refused with 500 and Retry-After within a second, and a metric has their share;
// epochs of the log go on and cover the others; afterwards every chain verifies, nothing acknowledged is lost
// or doubled, and everything is covered.

import { eventually, Subscriber } from "@annals/testing";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { report } from "../system/report.ts";
import { untilCovered } from "../system/covered.ts";
import { flowing } from "../system/flowing-loads.ts";
import { metricOf } from "../system/metric-of.ts";
import { processesOf } from "../system/testbed.ts";
import {
  type Account,
  accountsOf,
  begin,
  checkAll,
  type CitusBed,
  FLOW_WITHIN_MS,
  outcomesOf,
  startCitusBed,
} from "./testbed.ts";

const AWAY_MS = 12_000;
const REFUSED_WITHIN_MS = 1_000;
const DELIVERED_WITHIN_MS = 5_000;
/** Long enough that a worker is killed between two epochs, not in one. */
const EPOCH_S = 2;

let citus: CitusBed;

beforeAll(async () => {
  citus = await startCitusBed({ env: { ledger: { ANNALS_LOG_EPOCH_S: String(EPOCH_S) } } });
});
afterAll(() => citus?.stop());

/** The processes that are not ready: their callers would lose them for every account. */
async function unready(): Promise<string[]> {
  const answers = await Promise.all(
    citus.bed.stack.processes.map(async ({ adminUrl, service }) => {
      if (adminUrl === undefined) return [];
      const { ok } = await fetch(`${adminUrl}/readyz`);
      return ok ? [] : [service];
    }),
  );
  return answers.flat();
}

/** A subscriber of the account's events. */
async function subscriberOf(account: Account): Promise<Subscriber> {
  const subscriber = await Subscriber.start(citus.authority);
  onTestFinished(() => subscriber.close());
  const webhook = { url: subscriber.url(), events: ["event.created"] };
  expect((await account.clients[0]?.post("/v1/webhooks", webhook))?.status).toBe(201);
  return subscriber;
}

/** Number of epochs, and the events of the account that they cover. */
async function epochsOf({ clients: [client] }: Account) {
  const { body, status } = await client!.get("/v1/log");
  expect(status).toBe(200);
  const { covered, newest_epoch: newest } = body.data;
  return { epoch: Number(newest?.epoch ?? 0), covered: Number(covered?.sequence_number ?? 0) };
}

/** Resolves when an epoch has just ended. */
async function epochEnds(account: Account): Promise<number> {
  const { epoch: before } = await epochsOf(account);
  return eventually("an epoch ends", async () => {
    const { epoch } = await epochsOf(account);
    return epoch > before && epoch;
  });
}

test("a worker that is killed for 12 s under load costs its own accounts only", async () => {
  const { bed, nodes } = citus;
  const [others, own] = [
    await accountsOf(citus, nodes[1]?.port),
    await accountsOf(citus, nodes[2]?.port),
  ];
  // An account without other events: its deliveries wait for nothing but the cluster.
  const [watched] = await accountsOf(citus, nodes[1]?.port);
  const receiver = await subscriberOf(watched!);
  const events = watched!.load();
  // Deliveries of the lost worker are due beside those of the others.
  for (const account of own) await subscriberOf(account);
  const [loadsOfOthers, loadsOfOwn] = [await begin(others), await begin(own)];
  // An epoch without a server has the accounts that an epoch before it had.
  expect((await events.one()).stored).toBeDefined();
  for (const account of [...others, ...own, watched!]) await untilCovered(account.clients[0]!, 1);
  const [server] = processesOf(nodes[2]!.stack, "postgres");
  const epochBefore = await epochEnds(others[0]!);
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
  await untilCovered(watched!.clients[0]!, deliveredMs.length + 1);
  const epochsMeanwhile = (await epochsOf(watched!)).epoch - epochBefore;
  // Its path in the map needs the heads of other accounts, some of which are away.
  const unsigned = await watched!.clients[0]!.get("/v1/log/checkpoint");
  expect(unsigned.status).toBe(500);
  expect(unsigned.headers["retry-after"]).toBeDefined();
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
    "epochs meanwhile": epochsMeanwhile,
    "flow again after ms": performance.now() - backAt,
  });
  for (const outcome of refused.filter(({ stored }) => stored === undefined)) {
    expect(outcome.refused?.status, outcome.unanswered).toBe(500);
    expect(outcome.refused?.headers["retry-after"]).toBeDefined();
    expect(outcome.tookMs).toBeLessThan(REFUSED_WITHIN_MS);
  }
  await checkAll([...others, ...own, watched!], [...loadsOfOthers, ...loadsOfOwn, events]);
  for (const account of [...others, ...own, watched!]) {
    await untilCovered(account.clients[0]!, (await account.chain()).length);
    // keys signs a head only if a path proves it.
    expect((await account.clients[0]!.get("/v1/log/checkpoint")).status).toBe(200);
  }
});
