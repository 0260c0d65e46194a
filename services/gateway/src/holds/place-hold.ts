// POST /v1/holds (docs/lifecycle.md): keeps events from erasure and from retention.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { HOLD_MEMBERS, HoldBody, renderHold } from "./render-hold.ts";
import { CLOSED, named, SequenceNumber } from "../render/schema.ts";
import { askedOnce, ONCE_HEADER, OnceHeaders, onceHeaders } from "../render/idempotent-requests.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const Bound = (description: string, example: number) =>
  SequenceNumber({ maximum: Number.MAX_SAFE_INTEGER, description, examples: [example] });

const Body = named(
  "NewHold",
  Type.Object(
    {
      from_sequence: Bound(
        "First event to hold. It may be one that is not stored yet: the hold then covers it from the start.",
        40,
      ),
      to_sequence: Type.Optional(
        Bound("Last event to hold. Default: no end, so later events are held too.", 42),
      ),
      actor_id: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: "Hold only events of this actor. Default: of all actors.",
          examples: ["u_7"],
        }),
      ),
    },
    { ...CLOSED, ...HOLD_MEMBERS },
  ),
);

export function placeHold({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Place a hold",
    description:
      "While a hold is active, no part of the events that it covers is erased, and no retention deletes them. The " +
      "chain records it as the event `annals.hold`, which names the range and never the actor.",
    feature: "lifecycle",
    body: Body,
    headers: OnceHeaders,
    success: { status: 201, body: dataOf(HoldBody), headers: ONCE_HEADER },
    planLimit: "count",
    handle: async ({ admission, body, headers }) => {
      const { actor_id: actorId, from_sequence: from, to_sequence: to } = body;
      const request = {
        accountId: admission.accountId,
        fromSequence: BigInt(from),
        ...(to !== undefined && { toSequence: BigInt(to) }),
        ...(actorId !== undefined && { actorId }),
        ...askedOnce(headers, body),
      };
      const { hold, replayed } = await ledger.placeHold(request, admittedBy(admission));
      return { body: { data: renderHold(hold) }, ...onceHeaders(replayed) };
    },
  });
}
