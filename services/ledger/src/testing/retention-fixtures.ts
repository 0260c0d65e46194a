// A log with retention within the process of a test: replicas of the worker, and a clock that begins more
// than two days before that of PostgreSQL. Imported by tests only.

import { createLog, createRegistry } from "@annals/chassis";
import type { DatabaseClock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import { asDatabaseClock } from "@annals/testing";
import { randomBytes } from "node:crypto";
import { AppendQueue } from "../append/append-queue.ts";
import { GrownChains } from "../append/grown-chains.ts";
import { plansOf } from "../retention/plan-retention.ts";
import { S_PER_DAY } from "../retention/rules/retention.ts";
import { createMetrics } from "../metrics.ts";
import { FilterIndex } from "../search/worker/filter-index.ts";
import { Retention } from "../retention/worker/retention.ts";
import { NEVER } from "./block-fixtures.ts";
import { aroundPool, openPool } from "./database.ts";
import { TestLog } from "./test-log.ts";

const YEARS_BEFORE = -6 * 365;
const MS_PER_HOUR = 3_600_000;
const none = (): void => {};

export type RetentionWorld = Awaited<ReturnType<typeof openRetention>>;

export async function openRetention() {
  const log = await TestLog.open();
  log.later(YEARS_BEFORE * S_PER_DAY);
  let fault: string | undefined;
  const clock = asDatabaseClock({
    fault: () => fault,
    nowText: () => log.time,
    nowMicros: () => Date.parse(log.time) * 1_000,
  });
  const closer = log.newCloser();
  const index = new FilterIndex({
    database: openPool(log.owner.url),
    grown: new GrownChains(),
    log: createLog({ service: "test", level: "error" }),
    lag: none,
  });
  /** Closes an epoch that covers all events. */
  const cover = async () => {
    await log.growTrees();
    log.later(S_PER_DAY / 24);
    await closer.run();
  };
  const lifecycle = async (accountId: string) => {
    const [row] = await log.owner.query(
      `SELECT record_sequence::int AS record, through_sequence::int AS through, deleted_through::int AS deleted,
         min_index::int AS leaves
       FROM ledger.lifecycles WHERE account_id = $1`,
      [accountId],
    );
    return row;
  };
  return {
    log,
    /** Undefined: the clock is right. */
    setFault: (reason: string | undefined) => {
      fault = reason;
    },
    client: log.ledger.client,
    clock,
    cover,
    lifecycle,
    index: async () => {
      while ((await index.run(NEVER)) === 0);
    },
    /** Lets time pass for events, and for the passes over accounts. */
    laterDays: async (days: number) => {
      log.later(days * S_PER_DAY);
      await log.owner.query(
        `UPDATE ledger.lifecycles SET checked_at = least(checked_at, earlier.at), leased_until = NULL
         FROM (SELECT statement_timestamp() - $1 * interval '1 day' AS at OFFSET 0) AS earlier
         WHERE checked_at IS NOT NULL`,
        [days],
      );
    },
    newReplica: (around: (pool: Pool) => Pool = (pool) => pool) =>
      newReplica({ log, clock }, around),
    hold: (accountId: string, from: number) =>
      log.owner.query(
        `INSERT INTO ledger.holds (account_id, id, from_sequence, owner, placed_by)
         VALUES ($1, 'hold_1', $2, 'account', 1)`,
        [accountId, from],
      ),
    release: () => log.owner.query("DELETE FROM ledger.holds"),
  };
}

/** A replica that has measured a low load. */
function newReplica(
  { clock, log }: { readonly clock: DatabaseClock; readonly log: TestLog },
  around: (pool: Pool) => Pool,
) {
  const lines: Record<string, unknown>[] = [];
  const logger = createLog(
    { service: "test", level: "warn" },
    { write: (line) => lines.push(JSON.parse(line)) },
  );
  const database = aroundPool(openPool(log.owner.url), around);
  const metrics = createMetrics(createRegistry("test"));
  const seen = { deleted: 0, lagS: -1, holds: -1 };
  let nowMs = 0;
  const worker = new Retention({
    appends: new AppendQueue({
      clock,
      database,
      log: logger,
      metrics,
      notices: { notify: none },
      random: randomBytes,
    }),
    clock,
    database,
    log: logger,
    nowMs: () => (nowMs += MS_PER_HOUR),
    plansOf: (accountIds) => plansOf(log.signer.client, accountIds),
    deleted: (events) => (seen.deleted += events),
    held: (holds) => (seen.holds = holds),
    lag: (seconds) => (seen.lagS = seconds),
  });
  const pass = () => worker.run(NEVER);
  return {
    lines,
    seen,
    pass,
    /** Passes until nothing is left for now. The first two measure the load. */
    passes: async () => {
      let delay = 0;
      for (let quiet = 0; quiet < 3; quiet += delay > 0 ? 1 : 0) delay = await pass();
    },
  };
}
