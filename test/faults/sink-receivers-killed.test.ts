// Guarantee: real receivers of the sinks of two accounts have each event, in order for each account, and what
// comes again is the same event, although the receivers, the dispatchers and PostgreSQL are killed. What a
// server of syslog had not written when it ended may be missing, and nothing else: the query of docs/sinks.md
// names it, as what a receiver drops that answers with 200, and a replay heals it.

import { eventually, findS3Server, ownerOf } from "@annals/testing";
import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { findReceivers } from "../system/found-receivers.ts";
import {
  type End,
  type RealReceiver,
  type RealServer,
  startBucket,
  startCollector,
  startDaemon,
} from "../system/real-receivers.ts";
import {
  type MissingRange,
  missingIn,
  numbersIn,
  repeatedIn,
  SinkServer,
  storeEvents,
} from "../system/sinks-load.ts";
import { startWebhookSystem, type WebhookSystem } from "../system/webhook-constellation.ts";
import type { Client } from "../system/webhooks-load.ts";
import { report } from "../system/report.ts";
import { crashPostgres, killDispatchers } from "./sink-faults.ts";

const { crashes, kills, real } = inject("form").sinks;
/** Events stored after the last fault, so that a gap before them shows. */
const LAST = 100;
const ENDS: readonly End[] = ["killed", "restarted", "hung"];
/** A receiver ends when it has got more, and is away until another attempt has failed: so long at most. */
const MORE_MS = 20_000;
const MAX_AWAY_MS = 3_000;
/** The longest wait until an end has failed an attempt: more than the lease of a killed dispatcher. */
const MAX_FIRST_AWAY_MS = 20_000;
const MAX_HANG_MS = 1_000;
const SENT_MS = 300_000;
/** Between the turns of a sink, in place of 5 s, or of 5 minutes: a batch is in flight nearly always. */
const TURN_MS = 500;
/** What the receiver drops that answers with 200. */
const DROPPED = [17, 18, 400, 999];
const DROPPED_RANGES = [
  [17, 18],
  [400, 400],
  [999, 999],
];

const { collectors, daemons } = await findReceivers(inject("form").name === "full");
const storage = await findS3Server().catch((error: Error) => error);
// oxlint-disable-next-line no-console -- nothing of the product needs it, so its lack fails nothing
if (storage instanceof Error) console.warn(`not tested: a bucket: ${storage.message}`);

let system: WebhookSystem;
let owner: ReturnType<typeof ownerOf>;
let servers: readonly RealServer[] = [];
beforeAll(async () => {
  system = await startWebhookSystem({}, { replicas: { "webhook-dispatcher": 2 } });
  owner = ownerOf(system.stack.databaseUrl);
  servers = await Promise.all([
    ...collectors.map((program) => startCollector(program, system)),
    ...daemons.map((daemon) => startDaemon(daemon, system)),
    ...(typeof storage === "string" ? [startBucket(storage, system)] : []),
  ]);
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await owner.close();
  await system.stop();
});

interface Account {
  readonly client: Client;
  /** The id of the account, which names its chain. */
  readonly chain: string;
  /** Events that are stored. */
  stored: number;
}

/** A sink of an account, and where it sends to. */
interface Sent {
  readonly account: Account;
  readonly id: string;
  readonly receiver: RealReceiver;
}

type Figure = [what: string, count: number];

test("receivers, dispatchers and PostgreSQL are killed, and real receivers have all", async () => {
  const dropping = await SinkServer.start(system);
  dropping.keeps = ({ sequence_number: number = 0 }) => !DROPPED.includes(number);
  const receivers = [droppingReceiver(dropping), ...servers.flatMap((server) => server.receivers)];
  const clients = await Promise.all([system.client(), system.client()]);
  const accounts = clients.map((client) => ({ client, chain: client.accountId, stored: 0 }));
  const sinks = (await Promise.all(accounts.map((one) => sinksOf(one, receivers)))).flat();
  const turns = setInterval(() => void endWait().catch(() => {}), TURN_MS);
  try {
    const failed = await storeUnderFaults(accounts, sinks);
    // Each server was away when something was sent to it.
    expect(failed).not.toContain(0);
    for (const account of accounts) account.stored += await storeEvents(account.client, LAST);
    for (const sink of sinks) await hasLast(sink);
    const events = accounts.reduce((sum, { stored }) => sum + stored, 0);
    const done = { events, kills, crashes, restarts: real.restarts };
    const figures: Figure[] = Object.entries(done);
    figures.push(["failed", failed.reduce((sum, count) => sum + count, 0)]);
    for (const receiver of receivers) figures.push(...(await checked(receiver, accounts)));
    dropping.keeps = () => true;
    for (const sink of sinks) await heal(sink);
    report(Object.fromEntries(figures));
  } finally {
    clearInterval(turns);
  }
});

function droppingReceiver({ lines, subscriber }: SinkServer): RealReceiver {
  const sink = { type: "http", config: { url: subscriber.url("sink") } };
  return { name: "dropping", sink, lines, ends: [], read: async () => {} };
}

function sinksOf(account: Account, receivers: readonly RealReceiver[]): Promise<Sent[]> {
  return Promise.all(
    receivers.map(async (receiver) => {
      const sink = { ...receiver.sink, from: "start" };
      const { body, status } = await account.client.post("/v1/sinks", sink);
      expect(status).toBe(201);
      return { account, id: body.data.id as string, receiver };
    }),
  );
}

/** Resolves to how many of each server's ends have failed an attempt. */
async function storeUnderFaults(accounts: readonly Account[], sinks: readonly Sent[]) {
  let isOver = false;
  const load = { isOver: () => isOver, paceMs: real.paceMs };
  const stored = accounts.map(async (account) => {
    account.stored += await storeEvents(account.client, real.events / accounts.length, load);
  });
  const restarted = servers.map((server) => {
    const own = sinks.filter(({ receiver }) => server.receivers.includes(receiver));
    return restartSome(server, own);
  });
  const faults = Promise.all([
    killDispatchers(system, kills),
    crashPostgres(system, crashes),
    ...restarted,
  ]).finally(() => (isOver = true));
  await Promise.all([faults, ...stored]);
  return Promise.all(restarted);
}

async function restartSome(server: RealServer, sinks: readonly Sent[]): Promise<number> {
  const ids = sinks.map(({ id }) => id);
  let failed = 0;
  const hang = () => pause(randomInt(MAX_HANG_MS));
  const away = async () => {
    const withinMs = failed === 0 ? MAX_FIRST_AWAY_MS : MAX_AWAY_MS;
    if (await isSoon(withinMs, failsAgain(ids))) failed += 1;
  };
  for (let restart = 0; restart < real.restarts; restart += 1) {
    const before = await eventually("the database answers", () => cursorsOf(ids), SENT_MS);
    await isSoon(MORE_MS, async () => (await cursorsOf(ids)) > before);
    await server.restart(ENDS[restart % ENDS.length] ?? "killed", { hang, away });
  }
  return failed;
}

async function cursorsOf(ids: readonly string[]): Promise<number> {
  const [row] = await owner.query<{ cursors: string }>(
    "SELECT sum(cursor)::text AS cursors FROM webhooks.sinks WHERE id = ANY($1::text[])",
    [ids],
  );
  return Number(row?.cursors);
}

/** Whether an attempt has failed since the call before. A success sets the number of a sink to 0. */
function failsAgain(ids: readonly string[]): () => Promise<boolean> {
  let before = new Map<string, number>();
  return async () => {
    const rows = await owner.query<{ id: string; attempts: number }>(
      "SELECT id, attempts FROM webhooks.sinks WHERE id = ANY($1::text[])",
      [ids],
    );
    const isNew = rows.some(({ attempts, id }) => attempts > (before.get(id) ?? attempts));
    before = new Map(rows.map(({ attempts, id }) => [id, attempts]));
    return isNew;
  };
}

function isSoon(withinMs: number, probe: () => Promise<boolean>): Promise<boolean> {
  return eventually("it is so", probe, withinMs).catch(() => false);
}

/** Ends the time in which a sink has no turn. */
async function endWait(): Promise<void> {
  await owner.query(
    "UPDATE webhooks.sinks SET due_at = statement_timestamp() WHERE due_at > statement_timestamp()",
  );
}

/** Waits until all events are acknowledged, and the last one has arrived. */
async function hasLast({ account, id, receiver }: Sent): Promise<void> {
  const { chain, client, stored } = account;
  const isSent = async () => {
    const { body } = await client.get(`/v1/sinks/${id}/status`);
    return body.data.lag_events === 0 && body.data.head === stored;
  };
  await eventually(`all is sent to ${receiver.name}`, isSent, SENT_MS);
  await eventually(`the last event is at ${receiver.name}`, async () => {
    await receiver.read();
    return receiver.lines.some((line) => line.chain === chain && line.sequence_number === stored);
  });
}

/** Checks what a receiver has before anything is healed, and returns its figures. */
async function checked(receiver: RealReceiver, accounts: readonly Account[]): Promise<Figure[]> {
  const { lines, name } = receiver;
  const isSyslog = name.includes("syslog");
  const isDropping = name === "dropping";
  const missing = await missingIn(lines, system.stack.databaseUrl);
  let repeated = 0;
  for (const { chain, stored } of accounts) {
    const numbers = numbersIn(lines, chain);
    repeated += repeatedIn(lines, chain);
    expect(numbers, name).toEqual(numbers.toSorted((a, b) => a - b));
    const first = numbers[0] ?? 0;
    // The query sees what is missing between events.
    if (first > 1) missing.push({ chain, from: 1, to: first - 1 });
    const own = missing.filter((range) => range.chain === chain);
    const count = own.reduce((sum, { from, to }) => sum + to - from + 1, 0);
    expect(numbers.length + count, name).toBe(stored);
    const ranges = own.map(({ from, to }) => [from, to]);
    if (!isSyslog) expect(ranges, name).toEqual(isDropping ? DROPPED_RANGES : []);
  }
  return [[`${name} repeated`, repeated], ...(isSyslog ? lostBy(receiver, missing) : [])];
}

/** What is missing at a server of syslog, by how it ended behind the event before. */
function lostBy({ ends, name }: RealReceiver, missing: readonly MissingRange[]): Figure[] {
  const lost = new Map<End, number>(ENDS.map((how) => [how, 0]));
  for (const { chain, from, to } of missing) {
    const { how } = ends.find(({ last }) => (last.get(chain) ?? 0) === from - 1) ?? {};
    if (how === undefined) throw new Error(`${name} lacks ${from} to ${to}, and did not end there`);
    lost.set(how, (lost.get(how) ?? 0) + to - from + 1);
  }
  return [...lost].map(([how, count]): Figure => [`${name} lost when ${how}`, count]);
}

/** Sends again from the first missing number on, if one is missing, until all have arrived. */
async function heal({ account: { chain, client, stored }, id, receiver }: Sent): Promise<void> {
  const has = new Set(numbersIn(receiver.lines, chain));
  const all = Array.from({ length: stored }, (_, at) => at + 1);
  const first = all.find((number) => !has.has(number));
  if (first === undefined) return;
  const replay = { from_sequence_number: first };
  expect((await client.post(`/v1/sinks/${id}/replay`, replay)).status).toBe(200);
  const hasAll = async () => {
    await receiver.read();
    return numbersIn(receiver.lines, chain).length === stored;
  };
  await eventually(`${receiver.name} has all`, hasAll, SENT_MS);
  expect(numbersIn(receiver.lines, chain).toSorted((a, b) => a - b)).toEqual(all);
  expect(repeatedIn(receiver.lines, chain)).toBeGreaterThan(0);
}
