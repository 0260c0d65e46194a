// Guarantee: the workers put all older events into the index of each declared field, whatever others do
// meanwhile, and take deleted fields out of it; the lag says what is left. Retention leaves of each field
// what the events that stay would give. One account does not keep another from its turn.

import { createLog, REST_MS } from "@annals/chassis";
import { beforeAll, expect, test } from "vitest";
import { newAccountId } from "../../testing/append-fixtures.ts";
import { type LifecycleFixtures, openLifecycleFixtures } from "../../testing/lifecycle-fixtures.ts";
import { openLedger } from "../../testing/test-ledger.ts";
import {
  entriesOfBlocks,
  FRESH,
  indexSparse,
  insertEvents,
  SEALED,
  SPARSE,
  sparse,
} from "../../testing/segment-fixtures.ts";
import { FieldIndex } from "./field-index.ts";

const NEVER = new AbortController().signal;

let world: LifecycleFixtures;
beforeAll(async () => {
  world = await openLifecycleFixtures();
});

/** A chain with its index, and a field that is declared after it. */
async function indexed(length: number): Promise<string> {
  const accountId = newAccountId();
  const context = `'{"n":' || n / 60 || '}'`;
  await insertEvents(world.owner, accountId, length / SPARSE, { context, every: SPARSE });
  await world.run('SELECT ledger.begin_lifecycle($1::text COLLATE "C")', [accountId]);
  await indexSparse(world.owner, accountId, 0, Math.floor(length / FRESH) * FRESH);
  if (length >= SEALED) await world.run("SELECT ledger.seal_segment($1, 0)", [accountId]);
  await world.owner.query(
    `INSERT INTO ledger.fields SELECT $1, 16, 'n', '{context,n}', 'number', false, max(base) + 4096, max(base) + 4096, ''
     FROM ledger.segments WHERE account_id = $1 AND level = 0`,
    [accountId],
  );
  return accountId;
}

/** What the field has, and what its events would give, by a plain definition. */
async function saidAndRight(accountId: string, upTo: number) {
  const said = (await entriesOfBlocks(world.owner, accountId)).filter(([field]) => field === null);
  const rows = await world.owner.query<{ n: number; context: string }>(
    `SELECT sequence_number::int AS n, context FROM ledger.events
     WHERE account_id = $1 AND sequence_number <= $2 AND context LIKE '{"n":%' AND erased & 32 = 0 ORDER BY 1`,
    [accountId, upTo],
  );
  const right = Map.groupBy(rows, ({ context }) => (JSON.parse(context) as { n: number }).n);
  return [
    said.map(([, , numbers]) => numbers),
    [...right].toSorted(([one], [other]) => one - other).map(([, of]) => of.map(({ n }) => n)),
  ] as const;
}

function newWorker() {
  const lags: number[] = [];
  const log = createLog({ service: "test", level: "error" });
  const lag = (events: number) => void lags.push(events);
  return { lags, worker: new FieldIndex({ database: world.pool, log, lag }) };
}

test("workers that race put all events into the index, and one that is sealed stays sealed", async () => {
  const [long, short] = [await indexed(SEALED + FRESH), await indexed(2 * FRESH + 5 * SPARSE)];
  const workers = [newWorker(), newWorker()];
  expect(await workers[0]?.worker.run(NEVER)).toBe(0);
  expect(workers[0]?.lags).toEqual([SEALED + FRESH + 2 * FRESH]);
  const runs = workers.map(async ({ worker }) => {
    while ((await worker.run(NEVER)) !== REST_MS);
  });
  await Promise.all(runs);
  // The last run of one may have begun before the other had ended.
  await Promise.all(workers.map(({ worker }) => worker.run(NEVER)));
  expect(workers.map(({ lags }) => lags.at(-1))).toEqual([0, 0]);
  for (const [accountId, upTo] of [
    [long, SEALED + FRESH],
    [short, 2 * FRESH],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const [said, right] = await saidAndRight(accountId, upTo);
    expect(said).toEqual(right);
  }
});

test("a deleted field leaves the index, and its number is kept", async () => {
  const accountId = await indexed(FRESH);
  const { worker } = newWorker();
  await worker.run(NEVER);
  expect((await saidAndRight(accountId, FRESH))[0]).not.toEqual([]);
  await world.owner.query("UPDATE ledger.fields SET deleted_at = '' WHERE account_id = $1", [
    accountId,
  ]);
  while ((await worker.run(NEVER)) !== REST_MS);
  expect((await saidAndRight(accountId, FRESH))[0]).toEqual([]);
  const kept = "SELECT field, path FROM ledger.fields WHERE account_id = $1";
  expect(await world.owner.query(kept, [accountId])).toEqual([{ field: 16, path: [] }]);
});

test("retention that enters a sealed segment, before, during and after the backfill", async () => {
  for (const steps of [0, 5, 17]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const accountId = await indexed(SEALED);
    for (let step = 0; step < steps; step += 1)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await world.run("SELECT ledger.index_field($1, 16::smallint)", [accountId]);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await world.deleteThrough(accountId, sparse(160) - 1);
    const { worker } = newWorker();
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    while ((await worker.run(NEVER)) !== REST_MS);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const [said, right] = await saidAndRight(accountId, SEALED);
    expect({ steps, said }).toEqual({ steps, said: right });
    expect(right[0]?.[0]).toBe(sparse(160));
  }
});

test("a field that is declared ends the rest of the worker", async () => {
  const accountId = await indexed(FRESH);
  const { client, grown } = openLedger(world.owner);
  let woken = 0;
  grown.onReady("fields", () => {
    woken += 1;
  });
  const field = { accountId, name: "m", path: ["context", "m"], type: "string" };
  await client.createSearchField(field);
  expect(woken).toBe(1);
  await expect(client.createSearchField(field)).rejects.toThrow("m");
  expect(woken).toBe(1);
});
