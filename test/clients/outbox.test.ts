// Guarantee: an event that is added to a transaction is stored once if it is committed, and never if it is
// rolled back, though relays end, responses are lost and events refused. The control: an insert outside of
// the transaction records what was rolled back. PostgreSQL is real, in a database of the test's own.

import type { ServerResponse } from "node:http";
import { Annals, type NewEvent } from "@annals/sdk";
import { context as within } from "@annals/sdk/context";
import { freePort } from "@annals/local";
import { Outbox, OUTBOX_SCHEMA, type OutboxOptions } from "@annals/sdk/outbox";
import { createDatabase, eventually, poolOf, type TestDatabase } from "@annals/testing";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, inject, onTestFinished, test } from "vitest";
import {
  type Answering,
  failure,
  json,
  type Received,
  type ScriptedServer,
  scriptedServer,
} from "../sdk/scripted-server.ts";
import { uncaught } from "../sdk/uncaught.ts";

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createDatabase(inject("stack").databaseUrl);
  pool = poolOf(database.url);
  await pool.query(OUTBOX_SCHEMA);
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});
beforeEach(() =>
  pool.query("TRUNCATE annals_outbox, annals_outbox_refused, annals_outbox_producers"),
);

function actionsIn({ body }: Received): string {
  const { events } = JSON.parse(body) as { events: { action: string }[] };
  return events.map(({ action }) => action).join(" ");
}

const sent = ({ received }: ScriptedServer): string[] => received.map(actionsIn);
const keys = ({ received }: ScriptedServer): unknown[] => [
  ...new Set(received.map(({ headers }) => headers["idempotency-key"])),
];

const stored: Answering = (_, response) => json(response, 201, { data: [] });
const cut: Answering = (_, response) => response.destroy();
const first =
  (...answers: readonly Answering[]): Answering =>
  (received, response, count) =>
    (answers[count - 1] ?? stored)(received, response, count);

function outboxOf({ baseUrl }: { baseUrl: string }, options: Partial<OutboxOptions> = {}): Outbox {
  const annals = new Annals({ baseUrl, apiKey: "k" });
  return new Outbox({ annals, pool, pollMs: 5, ...options });
}

const NEVER = new AbortController().signal;

/** Sends until nothing is left. */
async function drain(outbox: Outbox): Promise<void> {
  while (await outbox.sendBatch(NEVER));
}

type Add = (transaction: pg.PoolClient, event: NewEvent) => Promise<void>;

/** Adds events in one transaction, which ends as it says. */
async function transact(
  end: "COMMIT" | "ROLLBACK",
  add: Add,
  ...actions: readonly string[]
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    for (const action of actions) await add(client, { action });
    await client.query(end);
  } finally {
    client.release();
  }
}

async function refusedRows(): Promise<unknown[]> {
  const { rows } = await pool.query(
    "SELECT event->>'action' AS action, reason FROM annals_outbox_refused ORDER BY id",
  );
  return rows;
}

async function waiting(): Promise<number> {
  const { rows } = await pool.query("SELECT count(*)::int AS count FROM annals_outbox");
  return (rows[0] as { count: number }).count;
}

/** Commits, rolls back, and commits. */
async function recorded(addWith: (outbox: Outbox) => Add): Promise<string[]> {
  const server = await scriptedServer(stored);
  const outbox = outboxOf(server);
  const add = addWith(outbox);
  await transact("COMMIT", add, "a1", "a2");
  await transact("ROLLBACK", add, "b1");
  await transact("COMMIT", add, "a3");
  await drain(outbox);
  expect(await waiting()).toBe(0);
  return sent(server);
}

test("what is committed is recorded once and in order, and what is rolled back never", async () => {
  expect(
    await recorded((outbox) => (transaction, event) => outbox.add(transaction, event)),
  ).toEqual(["a1 a2 a3"]);
});

test("the control: inserted outside of the transaction, what is rolled back is recorded", async () => {
  expect(await recorded((outbox) => (_, event) => outbox.add(pool, event))).toEqual([
    "a1 a2 b1 a3",
  ]);
});

test("an event that is no JSON fails its transaction, and not later", async () => {
  const outbox = outboxOf({ baseUrl: "http://127.0.0.1:9" });
  const event = { action: "a", metadata: { value: Number.NaN } };
  await expect(outbox.add(pool, event)).rejects.toThrow("is not a number of JSON");
});

test("a response that is lost: the same rows under the same key, until there is one", async () => {
  const server = await scriptedServer(first(cut, cut));
  const outbox = outboxOf(server);
  await transact("COMMIT", outbox.add.bind(outbox), "a1", "a2");
  const sending = outbox.sendBatch(NEVER);
  await eventually("an attempt", () => server.received.length > 0);
  await transact("COMMIT", outbox.add.bind(outbox), "a3");
  await sending;
  await drain(outbox);
  expect(sent(server)).toEqual(["a1 a2", "a1 a2", "a1 a2", "a3"]);
  expect(keys(server)).toHaveLength(2);
});

test("a callback that throws changes nothing", async () => {
  const thrown = uncaught();
  const server = await scriptedServer(first(cut));
  const wrong = new Error("of the application");
  const onRetry = (): never => {
    throw wrong;
  };
  const outbox = outboxOf(server, { onRetry });
  await transact("COMMIT", outbox.add.bind(outbox), "a1");
  await drain(outbox);
  expect([sent(server), thrown]).toEqual([["a1", "a1"], [wrong]]);
});

test("a relay that ends: after a minute another sends its batch, under its key, before the others", async () => {
  const held: ServerResponse[] = [];
  const server = await scriptedServer((_, response) => void held.push(response));
  const ended = outboxOf(server);
  await transact("COMMIT", ended.add.bind(ended), "a1");
  const end = new AbortController();
  const sending = ended.sendBatch(end.signal);
  await eventually("an attempt", () => server.received.length > 0);
  await transact("COMMIT", ended.add.bind(ended), "a2");

  const next = outboxOf(server);
  // One batch is in flight.
  expect(await next.sendBatch(NEVER)).toBe(false);
  await pool.query(
    "UPDATE annals_outbox SET claimed_at = now() - interval '61 s' WHERE batch IS NOT NULL",
  );
  server.answer = stored;
  await drain(next);
  expect(sent(server)).toEqual(["a1", "a1", "a2"]);
  expect(keys(server)).toHaveLength(2);
  end.abort();
  held[0]?.destroy();
  await sending;
});

test("an outage with no request written: the rows wait without a batch, and are then sent", async () => {
  const outbox = outboxOf({ baseUrl: `http://127.0.0.1:${await freePort()}` });
  await transact("COMMIT", outbox.add.bind(outbox), "a1");
  await expect(outbox.sendBatch(NEVER)).rejects.toThrow("no response");
  const { rows } = await pool.query("SELECT batch FROM annals_outbox");
  expect(rows).toEqual([{ batch: null }]);
  const server = await scriptedServer(stored);
  await drain(outboxOf(server));
  expect(sent(server)).toEqual(["a1"]);
});

/** Refuses one event by its name. */
const refusing: Answering = (received, response, count) => {
  const at = actionsIn(received).split(" ").indexOf("a2");
  if (at < 0) return stored(received, response, count);
  failure(response, 422, "validation_error", {}, [{ field: `events[${at}].x`, message: "bad" }]);
};

test("refused rows are moved by name, and the others are sent", async () => {
  const server = await scriptedServer(refusing);
  const drops: string[] = [];
  const outbox = outboxOf(server, { onDrop: ({ reason }) => void drops.push(reason) });
  await transact("COMMIT", outbox.add.bind(outbox), "a1", "a2", "a3");
  await drain(outbox);
  expect([sent(server), drops]).toEqual([["a1 a2 a3", "a1 a3"], ["refused"]]);
  expect(await refusedRows()).toEqual([{ action: "a2", reason: "refused" }]);
});

test("a refused row that is not counted as dropped stays, so that it never looks lost", async () => {
  const outbox = outboxOf(await scriptedServer(refusing), { producer: "billing" });
  const alter = (what: string) => pool.query(`ALTER TABLE annals_outbox_producers ${what}`);
  await alter("ADD CONSTRAINT none CHECK (dropped = 0)");
  onTestFinished(async () => void (await alter("DROP CONSTRAINT none")));
  await transact("COMMIT", outbox.add.bind(outbox), "a2");
  await expect(outbox.sendBatch(NEVER)).rejects.toThrow("violates check constraint");
  expect([await waiting(), await refusedRows()]).toEqual([1, []]);
});

test("a refusal without a name: halved until the row at fault is alone", async () => {
  const refusingUnnamed: Answering = (received, response, count) => {
    const isBad = actionsIn(received).split(" ").includes("a3");
    if (isBad) failure(response, 422, "validation_error");
    else stored(received, response, count);
  };
  const server = await scriptedServer(refusingUnnamed);
  const outbox = outboxOf(server, { onDrop: () => {} });
  await transact("COMMIT", outbox.add.bind(outbox), "a1", "a2", "a3", "a4");
  await drain(outbox);
  expect(await refusedRows()).toEqual([{ action: "a3", reason: "refused" }]);
  expect(await waiting()).toBe(0);
});

test("a batch that stays unknown until the end of its key's life is moved, and not sent again", async () => {
  const server = await scriptedServer(stored);
  const outbox = outboxOf(server, { onDrop: () => {} });
  await transact("COMMIT", outbox.add.bind(outbox), "a1");
  const old = `${Date.now() - 24 * 3_600_000}-x`;
  await pool.query("UPDATE annals_outbox SET batch = $1, claimed_at = '2026-01-01'", [old]);
  await drain(outbox);
  expect(sent(server)).toEqual([]);
  expect(await refusedRows()).toEqual([{ action: "a1", reason: "unconfirmed" }]);
});

test("batches have at most as many rows and bytes as they may", async () => {
  const server = await scriptedServer(stored);
  const outbox = outboxOf(server, { batchEvents: 2, batchBytes: 300 });
  await transact("COMMIT", outbox.add.bind(outbox), "a1", "a2", "a3");
  const big: Add = (transaction, event) =>
    outbox.add(transaction, { ...event, metadata: { text: "x".repeat(250) } });
  await transact("COMMIT", big, "b1", "b2");
  await drain(outbox);
  expect(sent(server)).toEqual(["a1 a2", "a3", "b1", "b2"]);
});

test("two relays run side by side: each committed event is sent once", async () => {
  const server = await scriptedServer(stored);
  const outboxes = [1, 2].map(() => outboxOf(server, { batchEvents: 3 }));
  const end = new AbortController();
  const running = outboxes.map((outbox) => outbox.run(end.signal));
  onTestFinished(() => end.abort());
  const [outbox] = outboxes;
  const actions = Array.from({ length: 20 }, (_, at) => `a${at}`);
  for (const action of actions)
    await transact("COMMIT", (transaction, event) => outbox!.add(transaction, event), action);
  await eventually("an empty table", async () => (await waiting()) === 0);
  end.abort();
  await Promise.all(running);
  expect(sent(server).join(" ")).toBe(actions.join(" "));
});

test("with a producer each committed event has one number more, also after a refusal", async () => {
  const server = await scriptedServer(refusing);
  const outbox = outboxOf(server, { onDrop: () => {}, producer: "billing" });
  await transact("COMMIT", outbox.add.bind(outbox), "a1", "a2", "a3");
  await transact("ROLLBACK", outbox.add.bind(outbox), "b1");
  await drain(outbox);
  await transact("COMMIT", outbox.add.bind(outbox), "a4");
  await drain(outboxOf(server, { producer: "billing" }));
  const sentLast = server.received.slice(1).flatMap(({ body }) => {
    const { events } = JSON.parse(body) as { events: { context: { producer: object } }[] };
    return events.map(({ context }) => context.producer);
  });
  expect(sentLast).toEqual([
    { id: "billing", n: 1, dropped: 0 },
    { id: "billing", n: 3, dropped: 0 },
    { id: "billing", n: 4, dropped: 1 },
  ]);
});

test("an event has the context of its transaction, and not that of the relay", async () => {
  const server = await scriptedServer(stored);
  const outbox = outboxOf(server);
  const ada = { type: "user", id: "u_1" };
  await within({ actor: ada, context: { tenant: "t_1" } }, () =>
    transact("COMMIT", outbox.add.bind(outbox), "a1"),
  );
  await within({ actor: { id: "relay" } }, () => drain(outbox));
  const { events } = JSON.parse(server.received[0]?.body ?? "") as { events: NewEvent[] };
  expect(events).toMatchObject([{ action: "a1", actor: ada, context: { tenant: "t_1" } }]);
});
