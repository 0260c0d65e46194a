// A widget token as JSON (docs/interface.md). The token itself is never part of it: only the create route
// adds it.

import { internal } from "@annals/errors";
import { MAX_WIDGET_ORIGINS, ORIGIN_PATTERN, WIDGET_PARTS } from "@annals/contract";
import type { WidgetToken } from "@annals/proto/keys";
import { Type } from "typebox";
import { FilterBody } from "../events/render-event-filter.ts";
import { CLOSED, Id, named, Nullable, openDetail, Time } from "../render/schema.ts";

export const WidgetTokenId = Id("wtok", "2c9r5t1w6y8b3e8m3kqa7v0d4x");

/** The same in requests and responses. */
export const partsBody = Type.Array(Type.Enum([...WIDGET_PARTS]), {
  description: "Parts of an event to show besides who, what and when. Default: none.",
  examples: [["diff", "target.meta"]],
  ...openDetail("widget-parts"),
});

export const originsBody = Type.Array(
  Type.String({ minLength: 1, maxLength: 255, pattern: ORIGIN_PATTERN }),
  {
    maxItems: MAX_WIDGET_ORIGINS,
    description:
      "Origins of the web pages that may use the token. Default: none, only pages of the service itself.",
    examples: [["https://app.example.com"]],
    ...openDetail("widget-origins"),
  },
);

const VIEWER = openDetail("widget-viewer");

export const ViewerBody = named(
  "WidgetViewer",
  Type.Object(
    {
      id: Type.String({
        minLength: 1,
        maxLength: 255,
        description: "Your id for the viewer.",
        examples: ["u_7"],
      }),
      name: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, examples: ["Ada Lovelace"] }),
      ),
    },
    { ...CLOSED, description: "The person who views the events, for the record.", ...VIEWER },
  ),
);

export const WidgetTokenBody = named(
  "WidgetToken",
  Type.Object({
    id: WidgetTokenId,
    token_prefix: Type.String({
      pattern: "^[a-z][a-z0-9]{0,31}_wt_.{4}\\.{3}.{2}$",
      description: "The start of the token, three dots, its last two characters.",
      examples: ["annals_wt_4fQm...z9"],
    }),
    filter: FilterBody,
    parts: partsBody,
    origins: originsBody,
    viewer: Nullable(ViewerBody, { description: "Null if no viewer was named.", ...VIEWER }),
    expires_at: Time({ description: "When the token expires; ISO 8601, UTC." }),
    created_at: Time({ description: "ISO 8601, UTC." }),
  }),
);

export const TokenBody = Type.String({
  pattern: "^[a-z][a-z0-9]{0,31}_wt_[A-Za-z0-9]{46}$",
  description: "The complete token. Shown only in this response.",
  examples: ["annals_wt_4fQm0dJb2cKx9RtLw7YzN3sHvP6gA1eUqB8iTo5k0c1Xz9"],
});

export function renderWidgetToken(token: WidgetToken | undefined) {
  if (!token) throw internal("the keys service responded without a widget token");
  const { viewerId: id, viewerName: name } = token;
  return {
    id: token.id,
    token_prefix: token.tokenPrefix,
    filter: JSON.parse(token.filterJson) as object,
    parts: token.parts,
    origins: token.origins,
    viewer: id === "" ? null : { id, ...(name !== "" && { name }) },
    expires_at: token.expiresAt,
    created_at: token.createdAt,
  };
}
