// Guarantee: the postings of a chunk are what its events say, row for row and in the order of their numbers:
// with erased and missing values, with leaves that retention has left, with one value and with as many as
// there are events, whatever plan PostgreSQL prefers and however little memory it may use. Verification,
// which makes them again, then finds nothing hidden, and each event that a posting lacks.

import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newLedgerDatabase, openPool } from "../../testing/database.ts";
import { withoutCondition } from "../../testing/without-condition.ts";
import { findHiddenEvent } from "../../verify/store/find-hidden-event.ts";
import { CHUNK_SIZE } from "../rules/chunk.ts";
import { indexChunk } from "./index-chunk.ts";

const FIELDS = ["action", "actor_id", "actor_type", "target_id", "target_type"] as const;

type Row = Readonly<Record<(typeof FIELDS)[number], string | null>> & {
  readonly sequence_number: string;
  readonly erased: number;
};

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await newLedgerDatabase(afterAll);
  pool = openPool(database.url, { atEnd: afterAll });
});

/** Values of event n by kind of chain. */
const KINDS = {
  one: "'a', 'u', 'user', 't', 'thing', 0",
  many: "'a' || n, 'u' || n * 7, 'user' || n, 't' || -n, 'thing' || md5(n::text), 0",
  some: "'a.' || n % 7, 'u_' || n * 7919 % 500, 'user', 'inv_' || md5((n * 31 % 900)::text), 'invoice', 0",
  erased: `'a', CASE WHEN n % 3 > 0 THEN 'u_' || n % 90 END, CASE WHEN n % 3 > 0 THEN 'user' END,
    CASE WHEN n % 2 > 0 THEN '' END, NULL, CASE WHEN n % 3 = 0 THEN 1 ELSE 0 END`,
  deleted:
    "'a.' || n % 5, CASE WHEN n > 300 THEN 'u_' || n % 90 END, NULL, NULL, NULL, CASE WHEN n <= 300 THEN 63 ELSE 0 END",
} as const;

async function insertChunk(kind: keyof typeof KINDS): Promise<void> {
  await database.query(
    `INSERT INTO ledger.events (account_id, sequence_number, id, action, actor_id, actor_type, target_id, target_type,
       erased, occurred_at, received_at, created_at, digests, previous_hash, hash, actor, context, diff, metadata,
       target, salts)
     SELECT $1, n, 'evt_' || n, ${KINDS[kind]}, '', '', '', decode(repeat('00', 160), 'hex'), sha256(n::text::bytea),
       sha256(n::text::bytea), '{}', '{}', '{}', '{}', '{}', decode(repeat('00', 80), 'hex')
     FROM generate_series(1, ${CHUNK_SIZE}) AS n`,
    [kind],
  );
  await database.query(
    "INSERT INTO ledger.heads (account_id, sequence_number, hash) VALUES ($1, $2, sha256('x'))",
    [kind, CHUNK_SIZE],
  );
}

/** Field, value and ordinals of each posting, in the order of field and value. */
type Posting = readonly [field: string, value: string, ordinals: readonly number[]];

/** The plain definition, from the rows alone. */
async function expected(accountId: string): Promise<Posting[]> {
  const rows = await database.query<Row>(
    `SELECT sequence_number, erased, ${FIELDS.join(", ")} FROM ledger.events WHERE account_id = $1 ORDER BY 1`,
    [accountId],
  );
  const ordinals = new Map<string, number[]>();
  for (const row of rows.filter(({ erased }) => (erased & 32) === 0))
    for (const field of FIELDS) {
      const value = row[field];
      if (value === null) continue;
      const key = JSON.stringify([field, value]);
      const numbers = ordinals.get(key) ?? [];
      if (numbers.push(Number(row.sequence_number) - 1) === 1) ordinals.set(key, numbers);
    }
  return [...ordinals].map(([key, numbers]) => [...(JSON.parse(key) as [string, string]), numbers]);
}

async function stored(accountId: string): Promise<Posting[]> {
  const rows = await database.query<{ field: string; value: string; ordinals: number[] }>(
    "SELECT field, value, ordinals FROM ledger.postings WHERE account_id = $1 AND chunk = 0",
    [accountId],
  );
  return rows.map(({ field, value, ordinals }) => [field, value, ordinals]);
}

const byName = (postings: readonly Posting[]): readonly Posting[] =>
  postings.toSorted(([a, b], [c, d]) => (`${a} ${b}` < `${c} ${d}` ? -1 : 1));

/** The least memory that there is, and a sort in place of hashing, if there is such a plan. */
const SETTINGS = ["work_mem = '64kB'", "enable_hashagg = off", "enable_sort = off"] as const;

const setting = (text: string) =>
  ({ name: "test.set", text: `SET LOCAL ${text}`, route: "local", customPlan: true }) as const;

test.each(Object.keys(KINDS) as (keyof typeof KINDS)[])(
  "%s: postings equal what the events say",
  async (kind) => {
    await insertChunk(kind);
    if (kind === "deleted")
      await database.query(
        `DELETE FROM ledger.events WHERE account_id = 'deleted' AND sequence_number <= 256;
         INSERT INTO ledger.lifecycles (account_id, records_from, deleted_through, min_index)
         VALUES ('deleted', 0, 300, 256)`,
      );
    const settings = ["search_path = ledger", ...SETTINGS];
    const made: unknown[] = [];
    for (const text of settings) {
      await database.query("DELETE FROM ledger.postings; DELETE FROM ledger.chunks");
      const [indexed, hidden] = await pool.transaction(async (transaction) => {
        await transaction.run(setting(text), []);
        const added = await transaction.run(indexChunk, [kind, "0"]);
        const whole = [kind, "0", "301", String(CHUNK_SIZE)] as const;
        return [added, await transaction.run(findHiddenEvent, [...whole])];
      });
      made.push({ indexed, hidden, postings: byName(await stored(kind)) });
    }
    const right = {
      indexed: [{ added: true }],
      hidden: [],
      postings: byName(await expected(kind)),
    };
    expect(made).toEqual(settings.map(() => right));
    await database.query("ANALYZE ledger.events");
  },
);

test.each(SETTINGS)("with %s an event that a posting lacks is found", async (text) => {
  await database.query("DELETE FROM ledger.postings; DELETE FROM ledger.chunks");
  await pool.run(indexChunk, ["some", "0"]);
  await database.query(
    "UPDATE ledger.postings SET ordinals = array_remove(ordinals, ordinals[2]) WHERE value = 'u_7' RETURNING 1",
  );
  const found = await pool.transaction(async (transaction) => {
    await transaction.run(setting(text), []);
    return transaction.run(findHiddenEvent, ["some", "0", "1", String(CHUNK_SIZE)]);
  });
  const ofActor = (await expected("some")).find(([, value]) => value === "u_7");
  expect(found.map(({ sequence_number: number }) => Number(number) - 1)).toEqual([ofActor?.[2][1]]);
});

test("control: grouped by a sort of the values, ordinals are not in order", async () => {
  await database.query("DELETE FROM ledger.postings; DELETE FROM ledger.chunks");
  const sorted = ["index_chunk", "GROUP BY target_id, hashed", "GROUP BY target_id"] as const;
  await withoutCondition(database, sorted, () =>
    pool.transaction(async (transaction) => {
      await transaction.run(setting("enable_hashagg = off"), []);
      await transaction.run(indexChunk, ["some", "0"]);
    }),
  );
  const right = byName(await expected("some"));
  const [made, names] = [
    byName(await stored("some")),
    (all: readonly Posting[]) => all.map(([, value]) => value),
  ];
  expect(names(made)).toEqual(names(right));
  expect(made).not.toEqual(right);
});
