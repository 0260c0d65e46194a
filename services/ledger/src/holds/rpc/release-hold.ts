// ReleaseHold: ends a hold that the account has placed (docs/lifecycle.md).

import { complete } from "@annals/errors";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import type { HoldDeps } from "../place-hold.ts";
import { release } from "../release-hold.ts";
import { recordActorOf } from "../../audit/record-actor-of.ts";

export function releaseHold(
  deps: Pick<HoldDeps, "appends" | "database">,
): ServiceImpl<typeof LedgerService>["releaseHold"] {
  return async ({ accountId, id }, context) => {
    complete({ account_id: accountId, id });
    await release(deps, { accountId, actor: recordActorOf(context), by: "account", id });
    return {};
  };
}
