// Guarantee: verification never calls a filter index wrong that the ledger's own functions have made: fresh,
// sealed, in backfill, while what was erased is queued, after retention has entered a sealed segment, made
// anew, in any order and at any times. It names the event and the segment of any run of another time.

import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { newAccountId } from "../testing/append-fixtures.ts";
import { backfillField, declareField } from "../testing/count-fixtures.ts";
import { CONTEXT } from "../testing/declared-values.ts";
import {
  type LifecycleFixtures,
  OLD,
  openLifecycleFixtures,
} from "../testing/lifecycle-fixtures.ts";
import {
  FRESH,
  indexSparse,
  insertEvents,
  OUTCOMES,
  SEALED,
  SPARSE,
  sparse,
} from "../testing/segment-fixtures.ts";
import { BlockChecker } from "./block-checker.ts";
import { findWrongTime } from "./compare-runs.ts";
import { verifyIndex } from "./verify-index.ts";

const NEVER = new AbortController().signal;
const INDEXED = SEALED + 2 * FRESH;
const COUNT = INDEXED / SPARSE;
const RUNS = 2;
/** Bytes of a run, and the time of one that leaves it to the events. */
const RUN_BYTES = 6;
const UNKNOWN = -(2 ** 31);

let world: LifecycleFixtures;
beforeAll(async () => {
  world = await openLifecycleFixtures();
});

interface Times {
  readonly first: string;
  readonly stepS: number;
  /** So much earlier is each seventh event. */
  readonly lateS: number;
  /** When each 97th event occurred. */
  readonly odd: string;
}

const times: fc.Arbitrary<Times> = fc.record({
  first: fc.constantFrom("2026-03-01T00:00:00Z", "1969-12-31T23:00:00Z", "0001-01-01T00:00:00Z"),
  stepS: fc.constantFrom(0.4, 7, 61, 4_000),
  lateS: fc.constantFrom(0, 10_800),
  odd: fc.constantFrom(
    "0000-02-28T10:00:00.000000Z",
    "0000-12-31T23:59:59.999999Z",
    "5999-12-31T23:59:59.999999Z",
    "6000-01-01T00:00:00.000000Z",
    "9999-12-31T23:59:59.999999Z",
  ),
});

function timeOf({ first, lateS, odd, stepS }: Times, n: number): string {
  if (n % 97 === 0) return odd;
  const late = n % 7 === 0 ? lateS : 0;
  const ms = Math.max(Date.parse(first), Date.parse(first) + 1_000 * (n * stepS - late));
  return new Date(ms).toISOString().replace("Z", "000Z");
}

/** A chain with its fresh segments, and a field that the first ones do not have. */
async function newChain(of: Times): Promise<string> {
  const accountId = newAccountId();
  const parts = { metadata: OUTCOMES, context: CONTEXT };
  await insertEvents(world.owner, accountId, COUNT, { ...parts, every: SPARSE });
  const numbers = Array.from({ length: COUNT }, (_, at) => sparse(at + 1));
  await world.owner.query(
    `UPDATE ledger.events SET occurred_at = given.at FROM unnest($2::bigint[], $3::text[]) AS given (number, at)
     WHERE account_id = $1 AND sequence_number = number`,
    [accountId, numbers, numbers.map((_, at) => timeOf(of, at + 1))],
  );
  await world.run('SELECT ledger.begin_lifecycle($1::text COLLATE "C")', [accountId]);
  await declareField(world.owner, accountId, 17, 3 * FRESH);
  await index(accountId);
  return accountId;
}

/** A sparse chain is not indexed by its function, as numbers of it are missing. */
async function index(accountId: string): Promise<void> {
  await indexSparse(world.owner, accountId, 0, INDEXED);
  await world.owner.query(
    `UPDATE ledger.segments SET minutes = runs[1], quarters = runs[2]
     FROM (
       SELECT base AS of_base, ledger.runs_of(account_id, base) AS runs FROM ledger.segments WHERE account_id = $1
     ) AS made WHERE account_id = $1 AND base = of_base`,
    [accountId],
  );
}

const call = (text: string) => world.run(text);
const numbersFrom = (n: number, count: number) =>
  Array.from({ length: count }, (_, at) => sparse(n + at)).join(",");

const STEPS = {
  sealed: (accountId: string) => call(`SELECT ledger.seal_segment('${accountId}', 0)`),
  "in backfill": (accountId: string) => backfillField(call, accountId, 17, 2),
  erased: async (accountId: string) => {
    const parts = ["actor", "context", "metadata"];
    const record = { parts, sequence_numbers: numbersFrom(200, 120) };
    await world.erase(accountId, await world.record(accountId, "annals.erasure", record));
  },
  forgotten: (accountId: string) => call(`SELECT ledger.unindex('${accountId}')`),
  "cut by retention": (accountId: string) => world.deleteThrough(accountId, sparse(150)),
  "made anew": async (accountId: string) => {
    for (const table of ["blocks", "segments"])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await world.owner.query(`DELETE FROM ledger.${table} WHERE account_id = $1`, [accountId]);
    await index(accountId);
  },
};

const verify = (accountId: string, from: number, to: number) =>
  verifyIndex(
    { blocks: new BlockChecker(2), database: world.pool },
    accountId,
    { from, to },
    NEVER,
  );

interface Changed {
  readonly unit: "minutes" | "quarters";
  readonly chunk: number;
  /** Which of the runs, as a share of them. */
  readonly share: number;
}

/** Changes the time of a run of a segment by hand. Resolves to the number of its first event. */
async function changeRun(accountId: string, { chunk, share, unit }: Changed): Promise<number> {
  const where = "account_id = $1 AND level = 0 AND base = $2";
  const of = [accountId, chunk * FRESH] as const;
  const [row] = await world.owner.query<Record<string, Buffer>>(
    `SELECT ${unit} FROM ledger.segments WHERE ${where}`,
    [...of],
  );
  const runs = row?.[unit] ?? expect.unreachable();
  const changed = Math.floor((share * runs.length) / RUN_BYTES) * RUN_BYTES;
  const time = runs.readInt32BE(changed);
  runs.writeInt32BE(time === UNKNOWN ? 5 : time + 1, changed);
  await world.owner.query(`UPDATE ledger.segments SET ${unit} = $3 WHERE ${where}`, [...of, runs]);
  let number = chunk * FRESH + 1;
  for (let byte = 0; byte < changed; byte += RUN_BYTES) number += runs.readUInt16BE(byte + 4);
  return number;
}

const changes: fc.Arbitrary<Changed> = fc.record({
  unit: fc.constantFrom("minutes", "quarters"),
  // The first chunk may have lost its first events.
  chunk: fc.integer({ min: 1, max: INDEXED / FRESH - 1 }),
  share: fc.double({ min: 0, max: 0.999, noNaN: true }),
});
const names = Object.keys(STEPS) as (keyof typeof STEPS)[];
const steps = fc.shuffledSubarray(names, { minLength: 4 });

test("what is right is never called wrong, and a run of another time is", async () => {
  const property = fc.asyncProperty(
    times,
    steps,
    fc.integer({ min: 1, max: INDEXED }),
    changes,
    async (given, taken, from, changed) => {
      const accountId = await newChain(given);
      expect(await verify(accountId, 1, INDEXED)).toBeUndefined();
      for (const step of taken) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await STEPS[step](accountId);
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const wrong = await verify(accountId, 1, INDEXED);
        expect({ step, wrong }).toEqual({ step, wrong: undefined });
      }
      expect(await verify(accountId, from, INDEXED)).toBeUndefined();
      const sequenceNumber = await changeRun(accountId, changed);
      const { chunk, unit } = changed;
      expect(await verify(accountId, 1, INDEXED)).toEqual({
        sequenceNumber,
        eventId: `evt_${sequenceNumber}`,
        reason: "digest_mismatch",
        index: { level: 0, base: chunk * FRESH, differs: unit },
      });
    },
  );
  await fc.assert(property, { numRuns: RUNS });
}, 240_000);

test("events that retention deletes after the verification began are not named", async () => {
  const accountId = await newChain({
    first: "2026-03-01T00:00:00Z",
    stepS: 61,
    lateS: 0,
    odd: OLD,
  });
  await world.deleteThrough(accountId, sparse(150));
  expect(await findWrongTime(world.pool, accountId, { from: 1, to: FRESH })).toBeUndefined();
  await changeRun(accountId, { unit: "minutes", chunk: 0, share: 0.9 });
  expect(await findWrongTime(world.pool, accountId, { from: 1, to: FRESH })).toBeDefined();
});
