// GET /v1/events/{id} (interface 6): one event, as POST returned it.

import { Type } from "typebox";
import { eventJson } from "@annals/event";
import { internal } from "@annals/errors";
import { admittedBy } from "../admission/admission.ts";
import { EventBody, EventId, PROOF, ProofBody, renderProof } from "./render-event.ts";
import { CLOSED, idIn } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export const IncludeProof = Type.Optional(
  Type.Literal("proof", {
    description: "Adds the data needed to recompute the hash, next to `data`.",
    ...PROOF,
  }),
);

export function getEvent({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Get an event",
    params: idIn(EventId),
    query: Type.Object({ include: IncludeProof }, CLOSED),
    success: {
      status: 200,
      body: Type.Object({ data: EventBody, proof: Type.Optional(ProofBody) }),
    },
    failures: [404],
    handle: async ({ admission, params, query, signal }) => {
      const includeProof = query.include === "proof";
      const request = { accountId: admission.accountId, id: params.id, includeProof };
      const { event } = await ledger.getEvent(request, admittedBy(admission, signal));
      if (!event) throw internal("the ledger responded without an event");
      return {
        body: `{"data":${eventJson(event)}${includeProof ? `,"proof":${renderProof(event)}` : ""}}`,
      };
    },
  });
}
