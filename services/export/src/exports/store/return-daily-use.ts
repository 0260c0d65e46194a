// Gives back what was counted in a day, if that day is still kept: most of the events that the filter of a
// completed export has left out.

import { statement } from "@annals/postgres";

type Params = [accountId: string, day: string, amount: string];

export const returnDailyUse = statement<Params, never>(
  `/* exports.return-daily-use */
UPDATE exports.daily_uses SET used = greatest(0, used - $3::bigint)
WHERE account_id = $1::text AND day = $2::date
`,
  { route: "one account" },
);
