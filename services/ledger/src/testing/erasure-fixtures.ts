// Fixtures of erasures: requests as the handler stores them, replicas of their worker, and what the chain and
// the events say of them. Imported by tests only.

import { createLog } from "@annals/chassis";
import { type Clock, systemClock } from "@annals/contract";
import type { Part } from "@annals/event";
import type { Database, Pool } from "@annals/postgres";
import { randomBytes } from "node:crypto";
import type { ErasureCopies } from "../erasures/rules/erasure-copies.ts";
import { type Selector, checkErasure, selectorText } from "../erasures/rules/erasure.ts";
import { SearchTurns } from "../search/search-turns.ts";
import { createErasure } from "../erasures/store/erasures.ts";
import { Erasures } from "../erasures/worker/erasures.ts";
import { newQueue } from "./append-fixtures.ts";
import type { AtEnd } from "./database.ts";
import type { LifecycleFixtures } from "./lifecycle-fixtures.ts";

const NEVER = new AbortController().signal;
const NO_COPIES: ErasureCopies = { exports: false, webhooks: false };
const CREATED_AT = "2026-01-31T09:30:00.000000Z";

/** Called before each statement of a replica, in its transactions too. It may throw. */
export type Before = (statement: string, accountId: unknown) => Promise<void> | void;

export function openErasures({
  clock = systemClock(),
  owner,
  pool,
}: Pick<LifecycleFixtures, "owner" | "pool"> & { readonly clock?: Clock }) {
  let asked = 0;
  /** Stores a request for all events of the account, and resolves to its id. */
  const ask = async (
    accountId: string,
    selector: Selector,
    { parts = ["actor", "metadata"], delayHours = 0 }: Partial<Request> = {},
  ): Promise<string> => {
    const { parts: bits } = checkErasure({ ...selector, parts });
    const [head] = await owner.query(
      "SELECT sequence_number AS last FROM ledger.heads WHERE account_id = $1",
      [accountId],
    );
    asked += 1;
    const id = `era_${asked}`;
    const actor = '{"id":"key_1","type":"api_key"}';
    const params = [accountId, id, selectorText(selector), bits, "case 7", actor] as const;
    const upTo = String(head?.["last"] ?? 0);
    await pool.run(createErasure, [...params, upTo, delayHours, CREATED_AT]);
    return id;
  };
  return {
    ask,
    newReplica: (before: Before = () => {}, copies = NO_COPIES, atEnd?: AtEnd) =>
      newReplica(owner.url, { atEnd, before, clock, copies }),
    /** Ends every delay and every lease. */
    letTimePass: () =>
      owner.query(
        `UPDATE ledger.erasures SET due_at = least(due_at, earlier.at)
         FROM (SELECT statement_timestamp() - interval '1 year' AS at OFFSET 0) AS earlier
         WHERE due_at IS NOT NULL`,
      ),
    request: async (accountId: string) => {
      const [row] = await owner.query("SELECT * FROM ledger.erasures WHERE account_id = $1", [
        accountId,
      ]);
      return row ?? {};
    },
    /** The numbers of events that records name, in the order of the records, and those that are erased. */
    recordedAndErased: async (accountId: string) => {
      const rows = await owner.query<{ said: string }>(
        `SELECT metadata::json ->> 'sequence_numbers' AS said FROM ledger.events
         WHERE account_id = $1 AND action = 'annals.erasure' ORDER BY sequence_number`,
        [accountId],
      );
      const erased = await owner.query<{ n: number }>(
        "SELECT sequence_number::int AS n FROM ledger.events WHERE account_id = $1 AND erased <> 0 ORDER BY 1",
        [accountId],
      );
      return {
        records: rows.map(({ said }) => numbersOf(said)),
        erased: erased.map(({ n }) => n),
      };
    },
  };
}

export interface Request {
  readonly parts: readonly Part[];
  readonly delayHours: number;
}

function newReplica(
  url: string,
  {
    atEnd,
    before,
    clock,
    copies,
  }: {
    readonly atEnd: AtEnd | undefined;
    readonly before: Before;
    readonly clock: Clock;
    readonly copies: ErasureCopies;
  },
) {
  const lines: Record<string, unknown>[] = [];
  const log = createLog(
    { service: "test", level: "warn" },
    { write: (line) => lines.push(JSON.parse(line)) },
  );
  const { pool, queue } = newQueue(url, (given) => beforeEachOf(given, before), atEnd);
  const worker = new Erasures({
    appends: queue,
    clock,
    copies,
    database: pool,
    log,
    random: randomBytes,
    searches: new SearchTurns(pool),
  });
  return { lines, pass: () => worker.run(NEVER) };
}

function beforeEachOf(pool: Pool, before: Before): Pool {
  const on = (database: Database): Database => ({
    run: async (statement, params) => {
      await before(statement.name, params[0]);
      return database.run(statement, params);
    },
  });
  return {
    ...pool,
    ...on(pool),
    transaction: (work, ...rest) => pool.transaction((one) => work(on(one)), ...rest),
  };
}

function numbersOf(ranges: string): number[] {
  return ranges.split(",").flatMap((range) => {
    const [from = 0, to = from] = range.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
}
