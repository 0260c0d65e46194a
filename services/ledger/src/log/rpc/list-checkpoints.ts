// ListCheckpoints: the signed checkpoints of an account after a position, for the webhook dispatcher. There
// is one for each served epoch in which the account's log grew, as long as its head in that epoch is kept.

import { complete, invalid } from "@annals/errors";
import type { Database, Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { parseCheckpoint, parseNote } from "@annals/tlog";
import { checkpointPosition, epochAfter } from "../rules/checkpoint-position.ts";
import { accountCheckpoint } from "../account-checkpoint.ts";
import { type CoveredHead, headOf } from "../covered-head.ts";
import type { LogKeys } from "../log-keys.ts";
import { getEpoch } from "../store/epochs.ts";
import { getServedEpoch } from "../../store/get-served-epoch.ts";
import { listAccountHeads } from "../store/list-account-heads.ts";

/** Each may take a signature of keys. */
const MAX_CHECKPOINTS = 20;

interface Deps {
  readonly database: Pool;
  readonly keys: LogKeys;
}

export function listCheckpoints({
  database,
  keys,
}: Deps): ServiceImpl<typeof LedgerService>["listCheckpoints"] {
  return async ({ accountId, afterPosition, limit }, { signal }) => {
    complete({ account_id: accountId });
    if (limit < 1 || limit > MAX_CHECKPOINTS)
      throw invalid({ field: "limit", message: `Must be from 1 to ${MAX_CHECKPOINTS}.` });
    const own = database.forAccount(accountId, signal);
    const [served] = await own.run(getServedEpoch, []);
    if (served === undefined) return {};
    const { epoch: servedEpoch, log } = served;
    const after = String(epochAfter(afterPosition, log));
    const rows = await own.run(listAccountHeads, [accountId, log, after, servedEpoch, limit]);
    const checkpoints = [];
    for (const row of rows) {
      const head = headOf(log, servedEpoch, row);
      const checkpoint = await accountCheckpoint({ database: own, keys }, accountId, head);
      const data = await dataOf(own, head, checkpoint);
      checkpoints.push({ position: checkpointPosition(head), data });
    }
    return { checkpoints };
  };
}

/** JSON text: the data of log.checkpointed. */
async function dataOf(database: Database, head: CoveredHead, checkpoint: string): Promise<string> {
  const { epoch, log, root, size } = head;
  const [row] = await database.run(getEpoch, [log, String(epoch)]);
  const { origin } = parseCheckpoint(parseNote(checkpoint).text);
  const time = row?.time ?? "";
  return JSON.stringify({ origin, epoch, time, size, root: root.toString("hex"), checkpoint });
}
