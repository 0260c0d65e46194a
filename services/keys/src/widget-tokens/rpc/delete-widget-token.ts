// DeleteWidgetToken: ends a token (docs/interface.md). It is deleted for good when this returns, and no
// admission that begins later finds it.

import { type Clock, isIdOf } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { AUDIT } from "../../store/audit.ts";
import { deleteWidgetToken as deleteWidgetTokenStatement } from "../store/delete-widget-token.ts";
import { tokenOwner } from "./token-owner.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
}

export function deleteWidgetToken(
  deps: Deps,
): ServiceImpl<typeof KeysService>["deleteWidgetToken"] {
  return async ({ accountId, id }, context) => {
    complete({ account_id: accountId, id });
    if (!isIdOf("wtok", id)) throw notFound("widget token", id);
    const owner = tokenOwner(context);
    await deps.database.forAccount(accountId).transaction(async (transaction) => {
      const [row] = await transaction.run(deleteWidgetTokenStatement, [accountId, id, owner]);
      if (!row) throw notFound("widget token", id);
      await AUDIT.add(transaction, {
        accountId,
        action: "annals.widget_token.revoked",
        actor: actorOf(context),
        target: { type: "widget_token", id },
        occurredAt: deps.clock.nowText(),
      });
    });
    return {};
  };
}
