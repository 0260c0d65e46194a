// Lets a clock that a test moves be that of the database, too, as where both agree. Imported by tests only.

import type { Clock, DatabaseClock } from "@annals/contract";

export function asDatabaseClock<C extends Clock>(clock: C): C & DatabaseClock {
  return Object.assign(clock, { isOfDatabase: true } as const);
}
