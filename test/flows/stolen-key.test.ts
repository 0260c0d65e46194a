// Guarantee: a stolen key with keys:manage erases nothing within the delay of erasures, and deletes nothing
// within the seven days of a shorter retention. Each act is in the audit chain with the key. An owner who
// notices in time takes both back, and a hold of the operator stops both. Without the delays, the same acts
// erase and delete. Real services and commands; only time passes by the test: in the rows of requests, and by
// the clock of the worker of retention. Its worker deletes from all accounts, so the system is the file's
// own.

import { createLog } from "@annals/chassis";
import { Retention } from "@annals/ledger/testing";
import type { Stack } from "@annals/local";
import { asDatabaseClock, eventually, HttpClient, newClient, ownerOf } from "@annals/testing";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { printedBy } from "../command/type-line.ts";
import { withQueue } from "../system/append-record.ts";
import { startConstellation } from "../system/constellation.ts";
import { untilCovered } from "../system/covered.ts";

const SYSTEM = "acct_system";
const EVENTS = 300;
const OF_ADA = 100;
const MIN_DAYS = 2;
const MS_PER_DAY = 86_400_000;
const MS_PER_HOUR = 3_600_000;
const WITHIN_MS = 60_000;
const AGE = "AND created_at >= youngest";
const none = () => {};

const folder = mkdtempDisposableSync(join(tmpdir(), "annals-stolen-key-"));
const plans = join(folder.path, "plans.json");
writeFileSync(
  plans,
  JSON.stringify({ plans: { short: { min_retention_days: MIN_DAYS } }, default: "short" }),
);

interface System {
  readonly stack: Pick<Stack, "baseUrls" | "databaseUrl">;
  readonly owner: ReturnType<typeof ownerOf>;
}

let own: Stack;
let system: System;
const clients: HttpClient[] = [];

beforeAll(async () => {
  own = await startConstellation({
    shared: inject("stack"),
    env: {
      keys: { ANNALS_PLANS_FILE: plans },
      ledger: { ANNALS_ERASURE_COPIES: "none", ANNALS_LOG_EPOCH_S: "1" },
    },
    without: ["nats", "export", "webhook-dispatcher"],
  });
  system = { stack: own, owner: ownerOf(own.databaseUrl) };
});
afterAll(async () => {
  for (const client of clients) client.close();
  await system.owner.close();
  await own.stop();
  folder.remove();
});

/** The same through a ledger whose erasures have no delay, and a gateway that knows only that one. */
async function withoutDelay(): Promise<System> {
  const { rpcAddress } = await own.addReplica("ledger", { ANNALS_ERASURE_DELAY_H: "0" });
  const address = { ANNALS_LEDGER_ADDRESS: `ipv4:${rpcAddress}` };
  const { baseUrl = "" } = await own.addReplica("gateway", address);
  return { ...system, stack: { baseUrls: [baseUrl], databaseUrl: own.databaseUrl } };
}

/** An account with events that the log covers, and a key of it that is stolen. */
async function newVictim({ stack }: System) {
  const { accountId, client } = await newClient(stack);
  const created = await client.post("/v1/api-keys", { name: "stolen", scopes: ["keys:manage"] });
  expect(created.status).toBe(201);
  const { id: keyId, key } = created.body.data;
  const thief = new HttpClient(stack.baseUrls[0] ?? "", key);
  clients.push(client, thief);
  const events = Array.from({ length: EVENTS }, (_, n) => ({
    action: "user.login",
    actor: { id: n % 3 === 0 ? "ada" : "bob" },
  }));
  expect((await client.post("/v1/events/batch", { events })).status).toBe(201);
  await untilCovered(client, EVENTS);
  return { accountId, client, keyId, thief };
}

type Victim = Awaited<ReturnType<typeof newVictim>>;

/** All that the key can do: it asks for an erasure, and for the shortest retention. */
async function attack({ thief }: Victim): Promise<string> {
  const asked = await thief.post("/v1/erasures", { actor_id: "ada", parts: ["actor"] });
  expect(asked.status).toBe(201);
  const set = await thief.send("PUT", "/v1/retention", { body: { days: MIN_DAYS } });
  expect(set.status).toBe(200);
  return asked.body.data.id;
}

/** What is left of the events of the account. */
async function leftOf({ owner }: System, { accountId }: Victim) {
  const [row] = await owner.query(
    `SELECT count(*) FILTER (WHERE actor_id = 'ada')::int AS ada, count(*) FILTER (WHERE actor_id = 'bob')::int AS bob
     FROM ledger.events WHERE account_id = $1`,
    [accountId],
  );
  return row;
}

const ALL = { ada: OF_ADA, bob: EVENTS - OF_ADA };

const statusOf = async ({ client }: Victim, id: string) =>
  (await client.get(`/v1/erasures/${id}`)).body.data;

/** Time passes for the erasures that wait. */
const pass = ({ owner }: System, time: string) =>
  owner.query(
    "UPDATE ledger.erasures SET due_at = due_at - $1::interval, begins_at = begins_at - $1::interval",
    [time],
  );

/** Resolves when the ledger has executed all erasures that are due, one that is asked for now among them. */
async function erasuresExecuted(given: System): Promise<void> {
  const marker = await newVictim(given);
  const { id } = (await marker.client.post("/v1/erasures", { actor_id: "ada", parts: ["actor"] }))
    .body.data;
  await given.owner.query(
    "UPDATE ledger.erasures SET due_at = now() WHERE id = $1 AND status = 'pending'",
    [id],
  );
  // The ledger executes several at a time: one that was due before the marker may end after it. Rows are read
  // in place of the API, which would refuse so many requests of one account.
  const ended = async () => {
    const [row] = await given.owner.query<{ marker: boolean; others: boolean }>(
      `SELECT bool_or(id = $1 AND status = 'completed') AS marker,
         NOT bool_or(status = 'running' OR (status = 'pending' AND due_at <= now())) AS others
       FROM ledger.erasures`,
      [id],
    );
    return row?.marker && row.others;
  };
  await eventually("the end of all erasures that are due", ended, WITHIN_MS);
}

/** The worker of retention, in so many days. The database would refuse events that are younger than two. */
async function retentionIn({ owner, stack }: System, days: number): Promise<void> {
  await owner.query(
    "UPDATE ledger.lifecycles SET checked_at = now() - interval '1 day', leased_until = NULL",
  );
  const [row] = await owner.query("SELECT pg_get_functiondef('ledger.expire'::regproc) AS text");
  const text = String(row?.["text"]);
  expect(text).toContain(AGE);
  await owner.query(text.replace(AGE, "AND false"));
  const nowMicros = () => (Date.now() + days * MS_PER_DAY) * 1_000;
  const nowText = () => new Date(nowMicros() / 1_000).toISOString();
  const clock = asDatabaseClock({ nowMicros, nowText });
  let hours = 0;
  await withQueue(stack.databaseUrl, async (appends, database) => {
    const retention = new Retention({
      appends,
      clock,
      database,
      log: createLog({ service: "test", level: "error" }),
      nowMs: () => (hours += MS_PER_HOUR),
      plansOf: (ids) => Promise.resolve(ids.map(() => ({ days: undefined, minDays: MIN_DAYS }))),
      deleted: none,
      held: none,
      lag: none,
    });
    // Two passes measure the load.
    for (let passes = 0; passes < 5; passes += 1) await retention.run(new AbortController().signal);
  });
  await owner.query(text);
}

/** Places a hold of the operator on all events. Resolves to its id. */
async function holdAll(accountId: string): Promise<string> {
  const words = ["holds", "place", "--account", accountId, "--from", "1", "--json"];
  return JSON.parse(await printedBy(own, ...words)).id;
}

/** The actions of a key in the audit chain, once there are so many. */
async function auditOf({ stack }: System, keyId: string, count: number) {
  const added = await printedBy(stack, "accounts", "add-key", "--account", SYSTEM);
  const operator = new HttpClient(stack.baseUrls[0] ?? "", /^key (\S+)$/m.exec(added)?.[1]);
  clients.push(operator);
  const { data } = await eventually(`the acts of ${keyId} are recorded`, async () => {
    const { body } = await operator.get(`/v1/events?order=asc&limit=100&actor_id=${keyId}`);
    return body.data.length >= count && body;
  });
  return data.map(({ action, context }: { action: string; context: { account_id: string } }) => [
    action,
    context.account_id,
  ]);
}

test("nothing is gone within the delays; then only what was not noticed, and not what is held", async () => {
  const unnoticed = await newVictim(system);
  const noticed = await newVictim(system);
  const held = await newVictim(system);
  const victims = [unnoticed, noticed, held];
  const holdId = await holdAll(held.accountId);
  const asked = new Map<Victim, string>();
  for (const victim of victims) asked.set(victim, await attack(victim));
  const erasureOf = (victim: Victim) => statusOf(victim, asked.get(victim) ?? "");
  const release = await held.thief.delete(`/v1/holds/${holdId}`);
  expect([release.status, release.body.error.message]).toEqual([
    422,
    expect.stringContaining("is a hold of the operator, which no API key can release"),
  ]);

  await pass(system, "23 hours 59 minutes");
  await erasuresExecuted(system);
  await retentionIn(system, 6.99);
  for (const victim of victims) {
    expect(await leftOf(system, victim)).toEqual(ALL);
    expect(await erasureOf(victim)).toMatchObject({ status: "pending", erased: 0 });
  }

  // The owner reads the audit, and takes both back.
  const cancelled = await noticed.client.delete(`/v1/erasures/${asked.get(noticed)}`);
  expect(cancelled.status).toBe(204);
  const back = await noticed.client.send("PUT", "/v1/retention", { body: { days: null } });
  expect(back.body.data).toMatchObject({ account_days: null, shorter_from: null });

  await pass(system, "2 minutes");
  await erasuresExecuted(system);
  expect(await erasureOf(unnoticed)).toMatchObject({ status: "completed", erased: OF_ADA });
  expect(await leftOf(system, unnoticed)).toEqual({ ...ALL, ada: 0 });
  await retentionIn(system, 7.01);
  expect(await leftOf(system, unnoticed)).toEqual({ ada: 0, bob: 0 });
  expect(await erasureOf(noticed)).toMatchObject({ status: "cancelled", erased: 0 });
  expect(await leftOf(system, noticed)).toEqual(ALL);
  expect(await erasureOf(held)).toMatchObject({ status: "completed", erased: 0, held: OF_ADA });
  expect(await leftOf(system, held)).toEqual(ALL);
  const { data } = (await held.client.get("/v1/retention")).body;
  expect(data).toMatchObject({ hold: holdId, retained_from: 1, days: null });

  for (const { accountId, keyId } of victims)
    expect(await auditOf(system, keyId, 2)).toEqual([
      ["annals.erasure.requested", accountId],
      ["annals.retention.changed", accountId],
    ]);
  // What was done is in the account's own chain.
  const { body } = await unnoticed.client.get("/v1/events?limit=100&order=asc");
  const records = body.data.map(({ action }: { action: string }) => action);
  expect(records).toEqual(["annals.erasure", "annals.retention"]);
});

test("without the delays the same acts erase and delete at once", async () => {
  const open = await withoutDelay();
  const victim = await newVictim(open);
  const id = await attack(victim);
  await erasuresExecuted(open);
  expect(await statusOf(victim, id)).toMatchObject({ status: "completed", erased: OF_ADA });
  await open.owner.query(
    "UPDATE ledger.lifecycles SET shorter_from = now() WHERE account_id = $1",
    [victim.accountId],
  );
  await retentionIn(open, MIN_DAYS + 0.1);
  expect(await leftOf(open, victim)).toEqual({ ada: 0, bob: 0 });
});
