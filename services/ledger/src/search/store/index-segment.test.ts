// Guarantee: the filter index and an erasure on two ledgers do not race: whichever is first, no erased value
// is left once what the erasure has queued is taken out. Appends wait for neither of them longer than for a
// record. With the lock in the statement that reads the events, or with the lock of an append in place of
// that of a record, a value is left.

import type { Pool, Statement } from "@annals/postgres";
import { eventually, ON_ONE_SERVER } from "@annals/testing";
import { describe, expect, test } from "vitest";
import { erasureRecord } from "../../append/rules/record-events.ts";
import { append, eventOf, newAccountId, newQueue } from "../../testing/append-fixtures.ts";
import { newLedgerDatabase, openPool } from "../../testing/database.ts";
import { type Condition, withoutCondition } from "../../testing/without-condition.ts";
import { unindex } from "../../erasures/store/unindex.ts";
import { indexSegment } from "./index-segment.ts";
import { lockHeadForRecord } from "../../store/lock-head.ts";

const SIZE = 4_096;
const ERASED = { actor: '{"id":"erased","type":"user"}', actorId: "erased", actorType: "user" };
const KEY = { type: "api_key", id: "key_1" } as const;

/** A complete segment whose second event is by the actor that is erased. */
async function openSegment(around?: (pool: Pool) => Pool) {
  const database = await newLedgerDatabase();
  const [first, second] = [newQueue(database.url, around), openPool(database.url)];
  const accountId = newAccountId();
  const events = Array.from({ length: SIZE }, (_, at) => eventOf("a", at === 1 ? ERASED : {}));
  await first.queue.submit(append(accountId, { events }));
  const erased = { id: "era_1", parts: ["actor"], sequenceNumbers: [2] } as const;
  const erasing = {
    name: "test.erase",
    text: 'SELECT ledger.erase($1::text COLLATE "C", $2)',
    route: "local",
    customPlan: true,
  } as const;
  const forget = () => second.run(unindex, [accountId]);
  return {
    database,
    second,
    /** Erases on the first ledger; its transaction ends after `until`. */
    erase: (until: () => Promise<unknown> = async () => {}) =>
      first.queue.record(accountId, async (transaction) => ({
        record: erasureRecord(KEY, erased),
        act: async (record) => {
          await transaction.run(erasing, [accountId, record]);
          await until();
        },
      })),
    /** Indexes the segment on the second ledger. */
    index: (on: Pick<Pool, "run"> = second) => on.run(indexSegment, [accountId, 0]),
    /** Appends on the cached head, to one chain and as one of several, and under the lock. */
    appends: async () => {
      await first.queue.submit(append(accountId));
      await first.queue.submit(append(accountId, { events: [eventOf("a"), eventOf("b")] }));
      await newQueue(database.url).queue.submit(append(accountId));
    },
    /** How often the first ledger had to lock the head. */
    locks: () => first.ran("ledger.lock-head"),
    /** Takes out of the index what the erasure has queued. */
    forget,
    left: async () => {
      await forget();
      return database.query("SELECT FROM ledger.blocks WHERE 'erased' = ANY (keys)");
    },
    waits: () =>
      eventually("one waits for a lock", async () => {
        const locked = "datname = current_database() AND wait_event_type = 'Lock'";
        return (await database.query(`SELECT FROM pg_stat_activity WHERE ${locked}`)).length === 1;
      }),
  };
}

type Segment = Awaited<ReturnType<typeof openSegment>>;

/**
 * The index begins while an erasure is not committed. What that queues is taken out before the index commits.
 */
async function eraseFirst(
  { erase, forget, index, second }: Segment,
  meanwhile: () => Promise<unknown>,
) {
  let indexed: ReturnType<typeof index> | undefined;
  await erase(async () => {
    indexed = second.transaction(async (transaction) => {
      const rows = await index(transaction);
      await forget();
      return rows;
    });
    await meanwhile();
  });
  expect(await indexed).toEqual([{ is_done: true }]);
}

/** The erasure begins while the index is not committed. */
async function indexFirst({ erase, index, second }: Segment, meanwhile: () => Promise<unknown>) {
  const { erasing } = await second.transaction(async (transaction) => {
    expect(await index(transaction)).toEqual([{ is_done: true }]);
    const started = erase();
    await meanwhile();
    return { erasing: started };
  });
  await erasing;
}

const LOCK = "PERFORM 1 FROM ledger.heads WHERE account_id = of_account FOR KEY SHARE;";
const LAST = "AND erased & 32 <> 32";
const LOCK_IN_STATEMENT = `AND erased & 32 <> 32
      AND EXISTS (SELECT 1 FROM (SELECT 1 FROM ledger.heads WHERE account_id = of_account FOR KEY SHARE) AS held)`;

describe.runIf(ON_ONE_SERVER)("the filter index and an erasure", () => {
  test("the erasure is first: the index waits, and sees it", async () => {
    const segment = await openSegment();
    await eraseFirst(segment, segment.waits);
    expect(await segment.left()).toEqual([]);
  });

  test("the index is first: the erasure waits, and queues its values", async () => {
    const segment = await openSegment();
    await indexFirst(segment, segment.waits);
    expect(await segment.left()).toEqual([]);
  });

  test("appends do not wait for the index", async () => {
    const segment = await openSegment();
    const before = await segment.locks();
    await segment.second.transaction(async (transaction) => {
      await segment.index(transaction);
      await segment.appends();
    });
    expect(await segment.locks()).toBe(before);
  });

  test("as one statement, the index leaves a value", async () => {
    const segment = await openSegment();
    const without: Condition = ["index_segment", LOCK];
    const within: Condition = ["make_blocks", LAST, LOCK_IN_STATEMENT];
    await withoutCondition(segment.database, without, () =>
      withoutCondition(segment.database, within, () => eraseFirst(segment, segment.waits)),
    );
    expect(await segment.left()).toHaveLength(1);
  });

  test("with the lock of an append, an erasure leaves a value", async () => {
    const weaker = <P extends readonly unknown[], Row>(given: Statement<P, Row>) =>
      given.name === lockHeadForRecord.name
        ? { ...given, text: given.text.replace("FOR UPDATE", "FOR NO KEY UPDATE") }
        : given;
    const segment = await openSegment((pool) => ({
      ...pool,
      transaction: (work, bytesOf) =>
        pool.transaction(
          (own) => work({ run: (given, params) => own.run(weaker(given), params) }),
          bytesOf,
        ),
    }));
    await segment.second.transaction(async (transaction) => {
      await segment.index(transaction);
      await segment.erase();
      await segment.forget();
    });
    expect(await segment.left()).toHaveLength(1);
  });
});
