// What an account has caused in a day of UTC: the events that it has replayed or exported, or the erasures
// that it has asked for. Each service keeps one row for each account, and counts in the transaction of the
// request: what is rolled back is not counted. The day is that of the database's clock.

import { AnnalsError } from "@annals/errors";
import { type Database, type Statement, statement } from "./statement.ts";

/** What was used in the kept day, and the seconds until that day ends. */
export interface UseRow {
  readonly used: string;
  readonly left_s: number;
}

export interface DailyUse {
  /** No row: what was used before has reached the limit. */
  readonly count: Statement<
    [accountId: string, amount: string, limit: string],
    { readonly used: string }
  >;
  /** No row: nothing of this day was counted. */
  readonly get: Statement<[accountId: string], UseRow>;
}

const NOW = "statement_timestamp() AT TIME ZONE 'UTC'";
/** A clock a day behind another one begins no day again; one that was further ahead has no effect later. */
const IS_KEPT = "kept.day BETWEEN excluded.day AND excluded.day + 1";

/** Call it once for each schema that has the table `daily_uses`. */
export function dailyUse(schema: "exports" | "ledger" | "webhooks"): DailyUse {
  return {
    count: statement(
      `/* ${schema}.count-daily-use */
INSERT INTO ${schema}.daily_uses AS kept (account_id, day, used)
SELECT $1::text, moment.day, $2::bigint
FROM (SELECT (${NOW})::date AS day OFFSET 0) AS moment
WHERE $3::bigint > 0
ON CONFLICT (account_id) DO UPDATE SET
  used = excluded.used + CASE WHEN ${IS_KEPT} THEN kept.used ELSE 0 END,
  day = CASE WHEN ${IS_KEPT} THEN kept.day ELSE excluded.day END
WHERE CASE WHEN ${IS_KEPT} THEN kept.used ELSE 0 END < $3::bigint
RETURNING used
`,
      { route: "one account" },
    ),
    get: statement(
      `/* ${schema}.get-daily-use */
SELECT used, greatest(1, ceil(extract(epoch FROM (moment.now::date + 1)::timestamp - moment.now)))::integer AS left_s
FROM ${schema}.daily_uses, (SELECT ${NOW} AS now OFFSET 0) AS moment
WHERE account_id = $1::text AND day BETWEEN moment.now::date AND moment.now::date + 1
`,
      { route: "one account" },
    ),
  };
}

interface Counted {
  readonly accountId: string;
  readonly amount: number | bigint;
  /** The most that a day may have. */
  readonly limit: number | bigint;
  /** What is counted, in the plural. */
  readonly what: string;
}

/**
 * Counts `amount` in the transaction of a request. The one that passes the limit is the last one of its day,
 * and is counted completely, so that it may be larger than the limit. Throws `plan_quota_exceeded`, and
 * `plan_count_exceeded` for a limit of 0.
 */
export async function countDailyUse(
  transaction: Database,
  use: DailyUse,
  { accountId, amount, limit, what }: Counted,
): Promise<void> {
  if (limit <= 0) throw new AnnalsError("plan_count_exceeded", `The plan allows no ${what}.`);
  const [counted] = await transaction.run(use.count, [accountId, String(amount), String(limit)]);
  if (counted) return;
  const [row] = await transaction.run(use.get, [accountId]);
  const message =
    `The plan allows ${limit} ${what} per day (UTC), and this account has had ` +
    `${row?.used ?? limit} today. Try again after the end of the day.`;
  throw new AnnalsError("plan_quota_exceeded", message, { retryAfterS: row?.left_s ?? 1 });
}
