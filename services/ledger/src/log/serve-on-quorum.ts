// Serves an epoch once the cosignatures of its checkpoint make a quorum. Called when one is stored, and by
// the epoch closer. An epoch that is served stays so, whatever the policy says later.

import type { Database } from "@annals/postgres";
import { type EpochRow, serveEpoch } from "./store/epochs.ts";
import { cosigned } from "./cosigned.ts";
import type { LogPolicy } from "./log-policy.ts";

export async function serveOnQuorum(
  database: Database,
  policy: LogPolicy,
  log: number,
  epoch: EpochRow,
): Promise<void> {
  const { checkpoint } = await cosigned(database, log, epoch);
  if (policy.isMetBy(checkpoint)) await database.run(serveEpoch, [log, epoch.epoch]);
}
