// The events that the exports of an account have read in a day of UTC. An export counts the events of its
// range when it is created. Of those that its filter has left out, most are given back when it is completed.

import { dailyUse, statement } from "@annals/postgres";

export const DAILY_USE = dailyUse("exports");

type Returned = [accountId: string, day: string, amount: string];

/** Gives back what was counted in a day, if that day is still kept. */
export const returnDailyUse = statement<Returned, never>(
  `/* exports.return-daily-use */
UPDATE exports.daily_uses SET used = greatest(0, used - $3::bigint)
WHERE account_id = $1::text AND day = $2::date
`,
  { route: "one account" },
);
