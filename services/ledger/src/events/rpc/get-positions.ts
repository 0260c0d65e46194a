// GetPositions: how far the chain and the outbox of each account reach, which a consumer compares with its
// cursors. Consumers call it every few seconds for all their accounts. An account whose server is away while
// others answer has the position 0: there is nothing to do for it until the next call.

import { type Pool, readAccounts } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { getHeadSequences } from "../../store/get-head-sequences.ts";
import { OUTBOX } from "../../store/outbox.ts";
import { CONSUMERS } from "../consumers.ts";

interface Deps {
  readonly database: Pool;
}

export function getPositions({
  database,
}: Deps): ServiceImpl<typeof LedgerService>["getPositions"] {
  return async ({ accountIds }, { signal }) => {
    const all = database.forAccount(CONSUMERS, signal);
    const outbox = await OUTBOX.positions(all, accountIds);
    const { rows } = await readAccounts(all, accountIds, {
      together: () => all.run(getHeadSequences, [accountIds]),
      each: (accountId) => all.run(getHeadSequences, [[accountId]]),
    });
    const sequences = new Map(rows.map((head) => [head.account_id, BigInt(head.sequence_number)]));
    const positions = accountIds.map((accountId, index) => ({
      headSequenceNumber: sequences.get(accountId) ?? 0n,
      outbox: outbox[index] ?? 0n,
    }));
    return { positions };
  };
}
