// The events that the exports of an account have read in a day of UTC. An export counts the events of its
// range when it is created.

import { dailyUse } from "@annals/postgres";

export const DAILY_USE = dailyUse("exports");
