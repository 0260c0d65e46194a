// Fixtures of the functions that erase and delete: chains with true hashes, records as the service appends
// them, calls with the rights of the service, and everything that such a call can change. Imported by tests
// only.

import { createLog, createRegistry } from "@annals/chassis";
import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { randomBytes } from "node:crypto";
import { afterAll } from "vitest";
import { AppendQueue } from "../append/append-queue.ts";
import type { NewEvent } from "../append/rules/prepare-append.ts";
import { createMetrics } from "../metrics.ts";
import { append, eventOf, newAccountId } from "./append-fixtures.ts";
import { newLedgerDatabase, openPool } from "./database.ts";
import { SetClock } from "./test-ledger.ts";

/** More than two days ago, and less. */
export const OLD = "2020-01-01T00:00:00.000000Z";
export const YOUNG = "9999-01-01T00:00:00.000000Z";

export type LifecycleFixtures = Awaited<ReturnType<typeof openLifecycleFixtures>>;

/** An event of the user `u_<who>` about one invoice. */
export function eventBy(
  who: number,
  action = "invoice.read",
  more: Parameters<typeof eventOf>[1] = {},
): NewEvent {
  return eventOf(action, {
    actor: `{"id":"u_${who}","type":"user"}`,
    actorId: `u_${who}`,
    actorType: "user",
    context: '{"ip":"203.0.113.7"}',
    target: '{"id":"inv_9","type":"invoice"}',
    targetId: "inv_9",
    targetType: "invoice",
    ...more,
  });
}

export async function openLifecycleFixtures() {
  const owner = await newLedgerDatabase(afterAll);
  const pool = openPool(owner.url, { atEnd: afterAll });
  const clock = new SetClock(OLD);
  const queue = new AppendQueue({
    clock,
    database: pool,
    log: createLog({ service: "test", level: "error" }),
    metrics: createMetrics(createRegistry("test")),
    notices: { notify: () => {} },
    random: randomBytes,
  });
  /** Appends events and resolves to the number of the last one. */
  const appendTo = async (
    accountId: string,
    events: readonly NewEvent[],
    createdAt = OLD,
  ): Promise<number> => {
    clock.text = createdAt;
    const stored = await queue.submit(append(accountId, { events }));
    if (stored.outcome !== "stored") throw new Error("not stored");
    return stored.firstSequence + events.length - 1;
  };
  const run = callsOf(pool);
  return {
    owner,
    pool,
    run,
    appendTo,
    /** Appends a record; its metadata is given without an order that matters. */
    record: (accountId: string, action: string, metadata: object) =>
      appendTo(accountId, [eventOf(action, { metadata: JSON.stringify(metadata) })]),
    /** A chain of `count` events by `u_0`, `u_1` and `u_2` in turn. Records may follow it. */
    newChain: async (count = 6, createdAt = OLD) => {
      const accountId = newAccountId();
      const events = Array.from({ length: count }, (_, index) => eventBy(index % 3));
      await appendTo(accountId, events, createdAt);
      await run('SELECT ledger.begin_lifecycle($1::text COLLATE "C")', [accountId]);
      return accountId;
    },
    /** A hold on all events of the account, or as it is changed. */
    hold: (accountId: string, changes: Partial<Hold> = {}) => place(run, accountId, changes),
    everything: () => everythingOf(owner),
    erase: async (accountId: string, record: number) => {
      const [row] = await run('SELECT ledger.erase($1::text COLLATE "C", $2)::int AS changed', [
        accountId,
        record,
      ]);
      return row?.["changed"];
    },
    expire: async (accountId: string) => {
      const [row] = await run('SELECT ledger.expire($1::text COLLATE "C")::int AS deleted', [
        accountId,
      ]);
      return row?.["deleted"];
    },
    /** Records that retention deletes the events up to a number, and deletes them. */
    deleteThrough: async (accountId: string, through: number) => {
      const metadata = JSON.stringify({ through_sequence: through });
      const record = await appendTo(accountId, [eventOf("annals.retention", { metadata })]);
      await run(
        "UPDATE ledger.lifecycles SET record_sequence = $2, through_sequence = $3 WHERE account_id = $1",
        [accountId, record, through],
      );
      await run('SELECT ledger.expire($1::text COLLATE "C")', [accountId]);
    },
  };
}

interface Hold {
  readonly from: number;
  readonly to: number | null;
  readonly actorId: string | null;
  readonly releasedBy: number | null;
}

type Run = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** Runs statements with the rights of the service. */
function callsOf(pool: Pool): Run {
  return (text, values = []) =>
    pool.run<readonly unknown[], Record<string, unknown>>(
      { name: "test.lifecycle", text, route: "local", customPlan: true },
      values,
    );
}

async function place(run: Run, accountId: string, changes: Partial<Hold>): Promise<void> {
  const { from = 1, to = null, actorId = null, releasedBy = null } = changes;
  await run(
    `INSERT INTO ledger.holds (account_id, id, from_sequence, to_sequence, actor_id, owner, placed_by, released_by)
     VALUES ($1, 'hold_1', $2, $3, $4, 'account', 1, $5)`,
    [accountId, from, to, actorId, releasedBy],
  );
}

/** The rows of all tables that the functions read or write. */
async function everythingOf(owner: TestDatabase): Promise<unknown> {
  const tables = ["events", "heads", "blocks", "segments", "unindexed", "holds", "lifecycles"];
  const rows = await Promise.all(
    tables.map((table) => owner.query(`SELECT * FROM ledger.${table} ORDER BY 1, 2, 3`)),
  );
  return Object.fromEntries(tables.map((table, at) => [table, rows[at]]));
}
