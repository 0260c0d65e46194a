// Guarantee: of 500 events that come together one that cannot be stored is refused alone, be it by the
// gateway or by PostgreSQL in the middle of their transaction; the other 499 are accepted, once each.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Load, SentAppend } from "../system/load.ts";
import { report } from "../system/report.ts";
import { startTestbed, type Testbed } from "../system/testbed.ts";

const EVENTS = 500;
/** Which of them is the poison message. */
const POISON = 123;
/** SQLSTATE of data that can never be stored, and of a fault that passes: the whole group may try again. */
const UNTRANSLATABLE = "22P05";
const OUT_OF_MEMORY = "53200";

let bed: Testbed;

beforeAll(async () => {
  // One of each: the events meet in one group.
  bed = await startTestbed({ replicas: {} });
});
afterAll(() => bed?.stop());

/** From now on PostgreSQL refuses each event that has the number of the poison message. */
async function poisoned(sqlstate: string): Promise<void> {
  await bed.owner.query(`CREATE OR REPLACE FUNCTION ledger.refuse_poison() RETURNS trigger AS $$
    BEGIN RAISE EXCEPTION 'poison' USING ERRCODE = '${sqlstate}'; END $$ LANGUAGE plpgsql`);
  await bed.owner.query(`CREATE OR REPLACE TRIGGER refuse_poison BEFORE INSERT ON ledger.events
    FOR EACH ROW WHEN (NEW.metadata LIKE '%-${POISON}"}') EXECUTE FUNCTION ledger.refuse_poison()`);
}

/** All at once, on connections that are open. */
async function together(load: Load, count: number): Promise<readonly SentAppend[]> {
  const from = load.appends.length;
  await load.burst(count);
  return load.appends.slice(from);
}

const refusedOf = (appends: readonly SentAppend[]): readonly SentAppend[] =>
  appends.filter(({ outcomes }) => !outcomes[0]?.stored);

test("PostgreSQL refuses one of 500: 499 are accepted, and the one gets its error", async () => {
  await poisoned(UNTRANSLATABLE);
  const { load, audit } = await bed.account();
  const events = load();
  const refused = refusedOf(await together(events, EVENTS));
  expect(refused.map(({ n }) => n)).toStrictEqual([POISON]);
  const [poison] = refused;
  expect(poison?.outcomes[0]?.refused).toMatchObject({
    status: 500,
    body: { error: { type: "server_error", message: expect.stringContaining("request id") } },
  });
  // The poison message is left out: had it been stored, it would be there although no client sent it.
  expect(await audit(events.appends.filter((one) => one !== poison))).toStrictEqual([]);
  report({ events: EVENTS, accepted: EVENTS - refused.length });
});

test.each([
  ["a text with U+0000", '{"action":"a","metadata":{"a":"\\u0000"}}'],
  ["half a character", '{"action":"a","metadata":{"a":"\\ud800"}}'],
  ["a number beyond all bounds", '{"action":"a","metadata":{"a":1e400}}'],
  ["a member that is there twice", '{"action":"a","metadata":{"a":1,"a":2}}'],
  ["bytes that are no UTF-8", Buffer.from('{"action":"a\xff"}', "latin1")],
  ["deep nesting", `{"action":"a","metadata":${'{"a":'.repeat(500)}1${"}".repeat(501)}`],
  ["too large an event", JSON.stringify({ action: "a", metadata: { a: "x".repeat(100_000) } })],
])("the gateway refuses one of 500, %s: 499 are accepted", async (_, poison) => {
  await bed.owner.query("DROP TRIGGER IF EXISTS refuse_poison ON ledger.events");
  const { load, audit, clients } = await bed.account();
  const events = load();
  const good = together(events, EVENTS - 1);
  const refused = await clients[0]?.post("/v1/events", poison);
  expect(refused).toMatchObject({ status: 422, body: { error: { type: "validation_error" } } });
  expect(refusedOf(await good)).toStrictEqual([]);
  expect(await audit(events.appends)).toStrictEqual([]);
});

test("control: the events are stored together, for a fault that passes is given to more than one", async () => {
  await poisoned(OUT_OF_MEMORY);
  const { load, audit } = await bed.account();
  const events = load();
  const refused = refusedOf(await together(events, EVENTS));
  expect(refused.length).toBeGreaterThan(1);
  expect(refused.map(({ n }) => n)).toContain(POISON);
  // The audit takes a refusal that passes for what it is: nothing is lost.
  expect(await audit(events.appends)).toStrictEqual([]);
  report({ events: EVENTS, "refused with the poison message": refused.length - 1 });
});
