// What the operator's commands share: a small pool that works as the service does, with the
// service's rights only.

import type { ConfigOf, Logger } from "@annals/chassis";
import { systemClock } from "@annals/contract";
import { type Pool, withCommandPool } from "@annals/postgres";
import { randomBytes } from "node:crypto";
import type { SETTINGS } from "../config.ts";
import type { KeyMaker } from "../api-keys/rules/new-api-key.ts";

/** The role that 0001_keys.sql makes. */
export const ROLE = "annals_keys";

export interface Opened extends KeyMaker {
  readonly database: Pool;
}

/** Runs `work` with a pool of one connection and closes it. */
export function withDatabase<T>(
  config: ConfigOf<typeof SETTINGS>,
  log: Logger,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  return withCommandPool(
    { config, role: ROLE, applicationName: "annals-keys-command", log },
    (database) =>
      work({ database, clock: systemClock(), random: randomBytes, prefix: config.keyPrefix }),
  );
}
