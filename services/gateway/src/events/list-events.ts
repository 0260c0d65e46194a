// GET /v1/events (interface 6): a page of the account's events, by keyset
// on the sequence number.

import { eventJson } from "@annals/event";
import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { listBytes } from "../render/data.ts";
import { EventBody, ProofBody, renderProof } from "./render-event.ts";
import { pageEnd } from "../render/page.ts";
import { named } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { ListQuery, listRequest, pageEndJson } from "./list-query.ts";

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
    description:
      "A page ends at its limit, at 1 MiB, or after a bounded number of events was read. So it can be shorter than " +
      "its limit or even empty if a filter excludes most events: continue while has_more is true.",
    query: ListQuery,
    success: { status: 200, body: Page },
    handle: async ({ admission, query, signal }) => {
      const includeProof = query.include === "proof";
      const request = { ...listRequest(admission.accountId, query), includeProof };
      const { events, nextAfter } = await ledger.listEvents(request, admittedBy(admission, signal));
      const proofs = includeProof ? `,"proofs":[${events.map(renderProof).join(",")}]` : "";
      const end = `]${proofs},${pageEndJson(query, nextAfter)}}`;
      return { body: listBytes(events.map(eventJson), end) };
    },
  });
}
