// GetLog: what the log of evidence says of an account, and who has seen it (docs/evidence.md).

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import { vkeyOf, splitHashes } from "@annals/tlog";
import type { ServiceImpl } from "@connectrpc/connect";
import { notCovered } from "../covered-head.ts";
import { coveredBy, renderCovered } from "../covered-by.ts";
import { verifierKeys } from "../log-keys.ts";
import type { LogPolicy } from "../log-policy.ts";
import { getNewestEpoch } from "../store/epochs.ts";
import { getLog as getLogStatement } from "../store/logs.ts";
import { getUsage } from "../../store/get-usage.ts";
import { getLifecycle } from "../../store/lifecycles.ts";

interface Deps {
  readonly database: Pool;
  readonly policy: LogPolicy;
}

export function getLog({ database, policy }: Deps): ServiceImpl<typeof LedgerService>["getLog"] {
  return async ({ accountId }, { signal }) => {
    complete({ account_id: accountId });
    const own = database.forAccount(accountId, signal);
    const [log] = await own.run(getLogStatement, []);
    if (log === undefined) throw notCovered();
    const [newest] = await own.run(getNewestEpoch, [log.log]);
    const [usage] = await own.run(getUsage, [accountId]);
    const [lifecycle] = await own.run(getLifecycle, [accountId]);
    const covered = await coveredBy(own, accountId);
    return {
      origin: `${log.origin}/${accountId}`,
      logOrigin: log.origin,
      vkeys: verifierKeys(log.origin, splitHashes(log.keys)).map(vkeyOf),
      size: BigInt(usage?.sequence_number ?? 0),
      ...(covered && { covered: renderCovered(covered) }),
      epoch: BigInt(newest?.epoch ?? 0),
      epochTime: newest?.time ?? "",
      policy: policy.text,
      minIndex: BigInt(lifecycle?.min_index ?? 0),
    };
  };
}
