// ConfirmErasure: a service says that it no longer has a value of an erasure. The worker of
// erasures completes the erasure once each has said so.

import { complete } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import { ErasureCopy, type LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { erasureId } from "../rules/erasure-id.ts";
import { confirmExports, confirmWebhooks } from "../store/erasure-copies.ts";
import { expectCopy } from "./expect-copy.ts";

interface Deps {
  readonly database: Pool;
}

export function confirmErasure({
  database,
}: Deps): ServiceImpl<typeof LedgerService>["confirmErasure"] {
  return async ({ accountId, copy, id }, context) => {
    complete({ account_id: accountId, id });
    expectCopy(copy, context);
    const confirm = copy === ErasureCopy.EXPORTS ? confirmExports : confirmWebhooks;
    await database.forAccount(accountId, context.signal).run(confirm, [accountId, erasureId(id)]);
    return {};
  };
}
