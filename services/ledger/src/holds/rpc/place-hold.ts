// PlaceHold: keeps events of the account from erasure and retention (docs/lifecycle.md).

import { complete } from "@annals/errors";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { type HoldDeps, placeHold as place } from "../place-hold.ts";
import { recordActorOf } from "../../audit/record-actor-of.ts";
import { renderHold } from "./render-hold.ts";

export function placeHold(deps: HoldDeps): ServiceImpl<typeof LedgerService>["placeHold"] {
  return async ({ accountId, actorId, fromSequence, toSequence }, context) => {
    complete({ account_id: accountId });
    const actor = recordActorOf(context);
    const range = { actorId, fromSequence, toSequence };
    const hold = await place(deps, { accountId, actor, owner: "account", ...range });
    return { hold: renderHold(hold) };
  };
}
