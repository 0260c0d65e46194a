// GetPositions: how far the chain and the outbox of each account reach, which a consumer compares with its
// cursors. Consumers call it every few seconds for all their accounts.

import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { getHeadSequences } from "../store/get-head-sequences.ts";
import { OUTBOX } from "../store/outbox.ts";

/** Name under which the pool counts these calls: they are for all accounts, and have the share of one. */
const CONSUMERS = "consumers";

interface Deps {
  readonly database: Pool;
}

export function getPositions({
  database,
}: Deps): ServiceImpl<typeof LedgerService>["getPositions"] {
  return async ({ accountIds }, { signal }) => {
    const all = database.forAccount(CONSUMERS, signal);
    const outbox = await OUTBOX.positions(all, accountIds);
    const heads = await all.run(getHeadSequences, [accountIds]);
    const sequences = new Map(heads.map((head) => [head.account_id, BigInt(head.sequence_number)]));
    const positions = accountIds.map((accountId, index) => ({
      headSequenceNumber: sequences.get(accountId) ?? 0n,
      outbox: outbox[index] ?? 0n,
    }));
    return { positions };
  };
}
