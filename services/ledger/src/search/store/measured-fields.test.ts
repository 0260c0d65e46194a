// Guarantee: what is kept of a declared field is the sum over the blocks of one segment, when they were made:
// of the newest fresh segment at first, then of the newest sealed one, also if the field is declared late. An
// erasure changes no figure.

import type { TestDatabase } from "@annals/testing";
import { expect, test } from "vitest";
import { backfillField, declareField } from "../../testing/count-fixtures.ts";
import { newLedgerDatabase } from "../../testing/database.ts";
import { CONTEXT, FIELDS } from "../../testing/declared-values.ts";
import {
  FRESH,
  indexSparse,
  insertEvents,
  SEALED,
  SPARSE,
} from "../../testing/segment-fixtures.ts";

const ACCOUNT = "acct_1";
const EVENTS = 2 * SEALED + FRESH;

/** That of the test that runs. */
let database: TestDatabase;

async function openChain(): Promise<void> {
  database = await newLedgerDatabase();
  await insertEvents(database, ACCOUNT, EVENTS / SPARSE, { context: CONTEXT, every: SPARSE });
}

const call = (text: string) => database.query<Record<string, unknown>>(text);
const index = (from: number, to: number) => indexSparse(database, ACCOUNT, from, to);
const seal = (base: number) => call(`SELECT ledger.seal_segment('${ACCOUNT}', ${base})`);
const declare = async (fromBase: number) => {
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (const { field } of FIELDS) await declareField(database, ACCOUNT, field, fromBase);
};

const figures = () =>
  call(
    `SELECT field, measured_base::int AS base, measured_events AS events, measured_bytes AS bytes, uncounted
     FROM ledger.fields ORDER BY field`,
  );

/** The sums over the blocks that a segment has now. */
const sums = (level: number, base: number) =>
  call(
    `SELECT field, base::int, ${level === 0 ? FRESH : SEALED} AS events,
       sum(pg_column_size(keys) + coalesce(pg_column_size(counts), 0) + pg_column_size(places))::int AS bytes,
       coalesce((
         SELECT sum(coalesce(events, octet_length(own.places) / 2))::int
         FROM ledger.blocks AS own CROSS JOIN LATERAL unnest(own.keys, own.counts) AS entry (key, events)
         WHERE own.field = blocks.field AND own.level = ${level} AND own.base = ${base} AND key = ''
       ), 0) AS uncounted
     FROM ledger.blocks WHERE field >= 16 AND level = ${level} AND base = ${base}
     GROUP BY field, base ORDER BY field`,
  );

/** The long part, and for tags the long value and the many ones, once each in 1,000 events. */
const uncountedOf = (events: number) =>
  FIELDS.map(({ name }) => (name === "tags" ? 3 : 1) * Math.ceil(events / SPARSE / 1_000));

test("fresh, sealed, and sealed again", async () => {
  await openChain();
  await declare(0);
  expect(new Set((await figures()).map(({ events }) => events))).toEqual(new Set([null]));
  for (const base of [0, FRESH]) {
    // oxlint-disable-next-line no-await-in-loop -- in order
    await index(base, base + FRESH);
    // oxlint-disable-next-line no-await-in-loop -- in order
    expect(await figures()).toEqual(await sums(0, base));
  }
  await index(2 * FRESH, SEALED + FRESH);
  await seal(0);
  const first = await figures();
  expect(first).toEqual(await sums(1, 0));
  expect(first.map(({ uncounted }) => uncounted)).toEqual(uncountedOf(SEALED));
  await index(SEALED + FRESH, EVENTS);
  expect(await figures()).toEqual(first);
  await seal(SEALED);
  const second = await figures();
  expect(second).toEqual(await sums(1, SEALED));
  expect(second).toHaveLength(FIELDS.length);

  await call(
    `INSERT INTO ledger.unindexed SELECT account_id, sequence_number, 17, ledger.number_key(0), 1
     FROM ledger.events WHERE sequence_number > ${SEALED} AND context LIKE '%"ms":0.000%'`,
  );
  await call(`SELECT ledger.unindex('${ACCOUNT}')`);
  expect(await sums(1, SEALED)).not.toEqual(second);
  expect(await figures()).toEqual(second);
}, 60_000);

test("a field that is declared late: of the newest segment first, and of the first sealed one", async () => {
  await openChain();
  await index(0, EVENTS);
  await seal(0);
  await seal(SEALED);
  await declare(EVENTS);
  const backfill = async (steps?: number) => {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (const { field } of FIELDS) await backfillField(call, ACCOUNT, field, steps);
  };
  await backfill(1);
  const fresh = await sums(0, 2 * SEALED);
  expect(await figures()).toEqual(fresh);
  await backfill(15);
  expect(await figures()).toEqual(fresh);
  await backfill(1);
  expect(await figures()).toEqual(await sums(1, SEALED));
  await backfill();
  expect(await figures()).toEqual(await sums(1, SEALED));
}, 60_000);
