// The erasures that an account has asked for in a day of UTC, with those that were cancelled.

import { dailyUse } from "@annals/postgres";

export const DAILY_USE = dailyUse("ledger");
