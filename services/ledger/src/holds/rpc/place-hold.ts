// PlaceHold: keeps events of the account from erasure and retention (docs/lifecycle.md).

import { complete } from "@annals/errors";
import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { type HoldDeps, placeHold as place } from "../place-hold.ts";
import { recordActorOf } from "../../audit/record-actor-of.ts";
import { REQUESTS } from "../../store/requests.ts";
import { renderHold } from "./render-hold.ts";

export function placeHold({
  idempotencyHours,
  ...deps
}: HoldDeps & { readonly idempotencyHours: number }): ServiceImpl<
  typeof LedgerService
>["placeHold"] {
  const kept = { idempotencyHours, operation: "place-hold", requests: REQUESTS };
  return async (request, context) => {
    const { accountId, actorId, fromSequence, toSequence } = request;
    complete({ account_id: accountId });
    const actor = recordActorOf(context);
    const range = { actorId, fromSequence, toSequence };
    const once = { asked: request, kept };
    const hold = await place(deps, { accountId, actor, owner: "account", once, ...range });
    return { hold: renderHold(hold), replayed: hold.replayed };
  };
}
