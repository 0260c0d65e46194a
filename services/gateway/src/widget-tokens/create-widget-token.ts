// POST /v1/widget-tokens (docs/interface.md): creates a token for the widget routes. It is in this
// response only.

import { WIDGET_TOKEN_EXPIRY_S } from "@annals/contract";
import type { CreateWidgetTokenRequestSchema } from "@annals/proto/keys";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Type, type Static } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { FilterBody } from "../events/render-event-filter.ts";
import { CLOSED, named, openDetail } from "../render/schema.ts";
import {
  originsBody,
  partsBody,
  renderWidgetToken,
  TokenBody,
  ViewerBody,
  WidgetTokenBody,
} from "./render-widget-token.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { filterText } from "../events/event-query.ts";
import { storedFilter } from "../events/stored-filter.ts";

const { default: DEFAULT_EXPIRY_S, least, most } = WIDGET_TOKEN_EXPIRY_S;

const Body = named(
  "NewWidgetToken",
  Type.Object(
    {
      filter: Type.Optional(FilterBody),
      parts: Type.Optional(partsBody),
      expires_in: Type.Optional(
        Type.Integer({
          minimum: least,
          maximum: most,
          description: `Seconds until the token expires. Default: ${DEFAULT_EXPIRY_S}.`,
          examples: [900],
          ...openDetail("widget-expiry"),
        }),
      ),
      origins: Type.Optional(originsBody),
      viewer: Type.Optional(ViewerBody),
    },
    CLOSED,
  ),
);

const Created = named(
  "CreatedWidgetToken",
  Type.Object({ ...WidgetTokenBody.properties, token: TokenBody }),
);

export function createWidgetToken({ keys, ledger }: Pick<Deps, "keys" | "ledger">): Route {
  return route({
    summary: "Create a widget token",
    description:
      "For use in a browser. The token can only read the events of its filter through the widget routes. It " +
      "stops working when it expires, when it is revoked, and when the API key that created it is revoked.",
    body: Body,
    success: { status: 201, body: dataOf(Created) },
    planLimit: "count",
    handle: async ({ admission, body, signal }) => {
      const filter = await storedFilter({ ledger }, admission, body.filter ?? {}, signal);
      const request = { ...toRequest(admission.accountId, body), filter };
      const { widgetToken, secret } = await keys.createWidgetToken(
        request,
        admittedBy(admission, signal),
      );
      const { id, ...rest } = renderWidgetToken(widgetToken);
      return { body: { data: { id, token: secret, ...rest } } };
    },
  });
}

function toRequest(
  accountId: string,
  body: Static<typeof Body>,
): MessageInitShape<typeof CreateWidgetTokenRequestSchema> {
  const filter = body.filter ?? {};
  return {
    accountId,
    filterJson: filterText(filter),
    parts: body.parts ?? [],
    expiresInS: body.expires_in ?? DEFAULT_EXPIRY_S,
    origins: body.origins ?? [],
    viewerId: body.viewer?.id ?? "",
    viewerName: body.viewer?.name ?? "",
  };
}
