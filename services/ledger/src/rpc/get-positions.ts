// GetPositions: how far the chain and the outbox of each account reach, which a consumer compares with its
// cursors. Consumers call it every few seconds for all their accounts.

import type { Database } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { getHeadSequences } from "../store/get-head-sequences.ts";
import { OUTBOX } from "../store/outbox.ts";

interface Deps {
  readonly database: Database;
}

export function getPositions({
  database,
}: Deps): ServiceImpl<typeof LedgerService>["getPositions"] {
  return async ({ accountIds }) => {
    const outbox = await OUTBOX.positions(database, accountIds);
    const heads = await database.run(getHeadSequences, [accountIds]);
    const positions = heads.map((head, index) => ({
      headSequenceNumber: BigInt(head.sequence_number),
      outbox: outbox[index] ?? 0n,
    }));
    return { positions };
  };
}
