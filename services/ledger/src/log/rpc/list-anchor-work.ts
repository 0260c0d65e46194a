// ListAnchorWork: the newest checkpoint of the head log, whether or not it is served, and a proof for each
// witness that is to see it next.

import { invalid } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { HeadLog } from "../head-log.ts";
import type { LogPolicy } from "../log-policy.ts";
import { getUnlockedSince, getUnstampedSince } from "../store/anchors.ts";
import { getNewestEpoch, getUnservedSince } from "../store/epochs.ts";
import { getLog } from "../store/logs.ts";

/** A policy has at most as many. */
const MAX_WITNESSES = 32;

interface Deps {
  readonly database: Pool;
  readonly policy: LogPolicy;
}

export function listAnchorWork({
  database,
  policy,
}: Deps): ServiceImpl<typeof LedgerService>["listAnchorWork"] {
  return async ({ bucket, isStamped, witnesses }) => {
    if (witnesses.length > MAX_WITNESSES)
      throw invalid({ field: "witnesses", message: `Must be at most ${MAX_WITNESSES}.` });
    const [log] = await database.run(getLog, []);
    const [newest] = log ? await database.run(getNewestEpoch, [log.log]) : [];
    if (log === undefined || newest === undefined) return {};
    const size = Number(newest.epoch);
    const headLog = new HeadLog(database, log.log);
    const proofs = [];
    for (const { name, oldSize } of witnesses)
      if (policy.names(name) && oldSize <= BigInt(size)) {
        const hashes = await headLog.proveConsistency(Number(oldSize), size);
        proofs.push({ name, oldSize, hashes });
      }
    const [unserved] = newest.is_served ? [] : await database.run(getUnservedSince, [log.log]);
    const [unstamped] = isStamped ? await database.run(getUnstampedSince, [log.log]) : [];
    const [unlocked] = bucket ? await database.run(getUnlockedSince, [log.log, bucket]) : [];
    return {
      log: log.log,
      size: BigInt(size),
      checkpoint: newest.checkpoint,
      proofs,
      unservedSince: unserved?.time ?? "",
      unstampedSince: unstamped?.time ?? "",
      unlockedSince: unlocked?.time ?? "",
    };
  };
}
