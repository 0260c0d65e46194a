// What the routes depend on. Built by serve.ts; each route names the members that it uses.

import type { Turns } from "@annals/contract";
import type { Clients } from "./clients.ts";
import type { IntakeReports } from "./intake/intake-reports.ts";
import type { Limits } from "./limits.ts";
import type { EventAppends } from "./events/event-appends.ts";

export interface Deps extends Clients {
  readonly appends: EventAppends;
  /** Counts the items of intake, and logs the first that are refused. */
  readonly intake: IntakeReports;
  readonly limits: Limits;
  /** Lets the work on large bodies of several accounts take turns. */
  readonly turns: Turns;
}
