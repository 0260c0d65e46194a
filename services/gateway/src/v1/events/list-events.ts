// GET /v1/events (interface 4.2, docs/open-details.md): a page of the account's events, by keyset
// on the sequence number.

import { eventJson } from "@annals/event";
import type { ListEventsRequestSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Type, type Static } from "typebox";
import { admittedBy } from "../../admission/admission.ts";
import { listBytes } from "../../render/data.ts";
import { EventBody, ProofBody, renderProof } from "../../render/event.ts";
import { filterMembers } from "../../render/event-filter.ts";
import { DEFAULT_LIMIT, pageEnd, pageMembers } from "../../render/page.ts";
import { CLOSED, named, OPEN } from "../../render/schema.ts";
import { type Route, route } from "../../route.ts";
import type { Deps } from "../../deps.ts";
import { makeCursor, readCursor } from "./cursor.ts";
import { filterRequest } from "./event-query.ts";
import { IncludeProof } from "./get-event.ts";

const Query = Type.Object(
  {
    ...filterMembers,
    order: Type.Optional(
      Type.Enum(["desc", "asc"], {
        description: "By sequence number; by default desc.",
        examples: ["asc"],
        ...OPEN,
      }),
    ),
    ...pageMembers,
    include: IncludeProof,
  },
  CLOSED,
);

const Page = named(
  "EventPage",
  Type.Object({
    data: Type.Array(EventBody),
    proofs: Type.Optional(Type.Array(ProofBody)),
    ...pageEnd,
  }),
);

export function listEvents({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "List events",
    openDetail: true,
    query: Query,
    success: { status: 200, body: Page },
    resource: "lists",
    handle: async ({ admission, query }) => {
      const request = toRequest(admission.accountId, query);
      const { events, hasMore } = await ledger.listEvents(request, admittedBy(admission));
      const last = events.at(-1);
      const next =
        hasMore && last ? `"${makeCursor(last.sequenceNumber, selection(query))}"` : "null";
      const proofs = request.includeProof ? `,"proofs":[${events.map(renderProof).join(",")}]` : "";
      const end = `]${proofs},"has_more":${hasMore},"next_cursor":${next}}`;
      return { body: listBytes(events.map(eventJson), end) };
    },
  });
}

/** What a cursor is valid for: all parameters but the page's size and what is shown of each event. */
function selection({
  limit: _limit,
  cursor: _cursor,
  include: _include,
  ...rest
}: Static<typeof Query>) {
  return Object.entries({ order: "desc", ...rest }).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function toRequest(
  accountId: string,
  query: Static<typeof Query>,
): MessageInitShape<typeof ListEventsRequestSchema> {
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
    includeProof: query.include === "proof",
  };
}
