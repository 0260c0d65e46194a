// Guarantee: a relay sends the bytes of its rows as they are, so that another one, in any language, can
// repeat the request. The number of a producer changes nothing else. PostgreSQL is real, in a database of the
// test's own; python.test.ts repeats requests in the other language.

import { Annals } from "@annals/sdk";
import { Outbox, OUTBOX_SCHEMA } from "@annals/sdk/outbox";
import { createDatabase, poolOf, type TestDatabase } from "@annals/testing";
import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { json, scriptedServer } from "../sdk/scripted-server.ts";
import { NUMBERED_EVENT, ODD_EVENT } from "./odd-event.ts";

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
beforeEach(() => pool.query("TRUNCATE annals_outbox, annals_outbox_producers"));

/** The bodies of the requests that send these rows. */
async function bodies(rows: readonly string[], producer?: string): Promise<string[]> {
  const insert = "INSERT INTO annals_outbox (event) SELECT unnest($1::text[])::json";
  await pool.query(insert, [rows]);
  const { baseUrl, received } = await scriptedServer((_, response) =>
    json(response, 201, { data: [] }),
  );
  const annals = new Annals({ baseUrl, apiKey: "k" });
  const outbox = new Outbox({ annals, pool, ...(producer !== undefined && { producer }) });
  while (await outbox.sendBatch(new AbortController().signal));
  return received.map(({ body }) => body);
}

test("a row is sent as it is", async () => {
  const other = '{"action": "a2","context":null}';
  expect(await bodies([ODD_EVENT, other])).toEqual([`{"events":[${ODD_EVENT},${other}]}`]);
});

test("with a producer a row gets its number and keeps the rest", async () => {
  expect(await bodies([ODD_EVENT], "billing")).toEqual([`{"events":[${NUMBERED_EVENT}]}`]);
  const { rows } = await pool.query("SELECT n::int FROM annals_outbox_producers");
  expect(rows).toEqual([{ n: 1 }]);
});

test("a row that cannot have a number is sent as it is, to be refused", async () => {
  const rows = ['{"action":"a1","context":"web"}', '{"action":"a1","context":[]}', "null", "[5]"];
  expect(await bodies(rows, "billing")).toEqual([`{"events":[${rows.join(",")}]}`]);
});

test("whatever an event has, its number changes nothing else", async () => {
  const members = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue());
  const event = fc.record(
    { action: fc.constant("a"), context: members, metadata: members },
    { requiredKeys: ["action"] },
  );
  const indent = fc.constantFrom(0, 1);
  const rows = fc
    .sample(fc.tuple(event, indent), { numRuns: 100, seed: 1 })
    .map(([value, spaces]) => JSON.stringify(value, null, spaces));
  const [body = ""] = await bodies(rows, "billing");
  const sent = (JSON.parse(body) as { events: unknown[] }).events;
  expect(sent).toEqual(
    rows.map((row, at) => {
      const { context, ...rest } = JSON.parse(row) as { context?: object };
      const producer = { id: "billing", n: at + 1, dropped: 0 };
      return { ...rest, context: { ...context, producer } };
    }),
  );
});
