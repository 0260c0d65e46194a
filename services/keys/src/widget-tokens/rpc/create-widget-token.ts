// CreateWidgetToken: mints a token for the widget routes (docs/interface.md). One of a person ends with the
// session at the latest.

import { complete, internal } from "@annals/errors";
import type { KeysService } from "@annals/proto/keys";
import { EventFilterSchema } from "@annals/proto/ledger";
import { actorOf, admissionOf } from "@annals/rpc";
import { create, toBinary } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { type MintDeps, mintWidgetToken } from "../mint-widget-token.ts";

export function createWidgetToken(
  deps: MintDeps,
): ServiceImpl<typeof KeysService>["createWidgetToken"] {
  return async (asked, context) => {
    const { accountId, filterJson, viewerId, viewerName } = asked;
    const { id, type } = actorOf(context);
    complete({ account_id: accountId, filter_json: filterJson });
    if (id === undefined) throw internal("a widget token needs the key that creates it");
    const filter = toBinary(EventFilterSchema, asked.filter ?? create(EventFilterSchema));
    const maker = { actor: { type, id }, sessionId: admissionOf(context)?.sessionId || null };
    const minted = await mintWidgetToken(deps, { ...asked, filter }, maker);
    const { secret, secretSha256: _, ...token } = minted;
    const shown = { ...token, parts: [...token.parts], origins: [...token.origins] };
    return { widgetToken: { ...shown, filterJson, viewerId, viewerName }, secret };
  };
}
