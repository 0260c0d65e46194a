// The parameters of a list of events, the request to the ledger that they make, and the end of the page.
// Called by the routes that list events, for API keys and for widget tokens.

import type { ListEventsRequestSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Type, type Static } from "typebox";
import { fieldParameters, listFilterMembers } from "./render-event-filter.ts";
import { DEFAULT_LIMIT, pageMembers } from "../render/page.ts";
import { CLOSED, openDetail } from "../render/schema.ts";
import { makeCursor, readCursor } from "./cursor.ts";
import { filterRequest } from "./event-query.ts";
import { IncludeProof } from "./get-event.ts";

export const ListQuery = Type.Object(
  {
    ...listFilterMembers,
    order: Type.Optional(
      Type.Enum(["desc", "asc"], {
        description: "Order by sequence number. Default: desc.",
        examples: ["asc"],
        ...openDetail("list-order"),
      }),
    ),
    ...pageMembers,
    include: IncludeProof,
  },
  { ...CLOSED, ...fieldParameters },
);

type Query = Static<typeof ListQuery>;

/** Builds the request to the ledger. Throws `invalid`. */
export function listRequest(accountId: string, query: Query) {
  const ascending = query.order === "asc";
  const filter = filterRequest(query);
  if (query.cursor !== undefined) {
    // The cursor lies within the bounds of the filters, so it replaces the bound on its side.
    const from = readCursor(query.cursor, selection(query));
    if (ascending) filter.afterSequence = from;
    else filter.beforeSequence = from;
  }
  return {
    accountId,
    filter,
    ascending,
    limit: query.limit ?? DEFAULT_LIMIT,
  } satisfies MessageInitShape<typeof ListEventsRequestSchema>;
}

/** `has_more` and `next_cursor` in the body of a page. The next page begins after `nextAfter`. */
export function pageEndJson(query: Query, nextAfter: bigint | undefined): string {
  const next = nextAfter === undefined ? "null" : `"${makeCursor(nextAfter, selection(query))}"`;
  return `"has_more":${nextAfter !== undefined},"next_cursor":${next}`;
}

/** What a cursor is valid for: all parameters except the page's size and what is shown of each event. */
function selection({ limit: _limit, cursor: _cursor, include: _include, ...rest }: Query) {
  return selectionOf({ order: "desc", ...rest });
}

/** All parameters but the cursor: the order of values, and how often each is sent, select nothing. */
export function selectionOf({ cursor: _cursor, ...rest }: Readonly<Record<string, unknown>>) {
  return Object.entries(rest)
    .map(([name, value]) => {
      const values = [...new Set([value].flat())].map(String).toSorted((a, b) => (a < b ? -1 : 1));
      return [name, values.length === 1 ? values[0] : values] as const;
    })
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}
