// GetCheckpointPositions: how far the checkpoints of each account reach, which the webhook dispatcher
// compares with its cursors. It asks for the newest served epoch every few seconds, and for its accounts only
// when another one is served.

import { invalid } from "@annals/errors";
import { type Database, isDistributed, type Pool, readAccounts } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { checkpointPosition } from "../rules/checkpoint-position.ts";
import { getAccountHeads } from "../store/account-heads.ts";
import { getAccountHead } from "../store/get-account-head.ts";
import { getServedEpoch, type ServedEpochRow } from "../../store/get-served-epoch.ts";
import { CONSUMERS } from "../../events/consumers.ts";

const MAX_ACCOUNTS = 1_000;

interface Deps {
  readonly database: Pool;
}

export function getCheckpointPositions({
  database,
}: Deps): ServiceImpl<typeof LedgerService>["getCheckpointPositions"] {
  return async ({ accountIds }, { signal }) => {
    if (accountIds.length > MAX_ACCOUNTS)
      throw invalid({ field: "account_ids", message: `Must be at most ${MAX_ACCOUNTS}.` });
    const all = database.forAccount(CONSUMERS, signal);
    const [served] = await all.run(getServedEpoch, []);
    if (served === undefined) return { positions: accountIds.map(() => 0n) };
    const { failed, rows } = await headEpochs(all, accountIds, served);
    const epochs = new Map(rows.map((row) => [row.account_id, row.epoch]));
    const positionOf = (epoch: string | undefined) =>
      epoch === undefined ? 0n : checkpointPosition({ log: served.log, epoch: Number(epoch) });
    return {
      served: positionOf(served.epoch),
      positions: accountIds.map((accountId) => positionOf(epochs.get(accountId))),
      isPartial: failed.size > 0,
    };
  };
}

/** The newest served epochs in which the heads of accounts changed. */
async function headEpochs(
  database: Database,
  accountIds: readonly string[],
  { epoch, log }: ServedEpochRow,
) {
  if (accountIds.length === 0) return { rows: [], failed: new Set() };
  return readAccounts(database, accountIds, {
    together: async () => {
      if (await isDistributed(database)) throw new Error("each account is on a server of its own");
      return database.run(getAccountHeads, [accountIds, log, epoch]);
    },
    each: async (accountId) => {
      const rows = await database.run(getAccountHead, [accountId, log, epoch]);
      return rows.map((row) => ({ ...row, account_id: accountId }));
    },
  });
}
