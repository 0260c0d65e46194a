// POST /v1/sinks/{id}/replay (docs/interface.md): sets the cursor of a sink, so that it is sent the events
// from a number on again.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { CLOSED, idIn, named, SequenceNumber } from "../render/schema.ts";
import { SinkId } from "./render-sink.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const From = SequenceNumber({
  maximum: Number.MAX_SAFE_INTEGER,
  description: "The event that is sent next; at most the next one of the chain.",
  examples: [40],
});

const Body = named("SinkReplay", Type.Object({ from_sequence_number: From }, CLOSED));
const Replayed = named(
  "SinkReplayed",
  Type.Object({ from_sequence_number: SequenceNumber({ examples: [40] }) }),
);

export function replaySink({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "Replay events to a sink",
    description:
      "Sets the cursor: the sink is sent the events from that number on, again and in order. A number that retention " +
      "has deleted is refused with the first that is left.",
    feature: "webhooks",
    params: idIn(SinkId),
    body: Body,
    success: { status: 200, body: dataOf(Replayed) },
    failures: [404],
    handle: async ({ admission, body, params, signal }) => {
      const { from_sequence_number: from } = body;
      const request = {
        accountId: admission.accountId,
        id: params.id,
        fromSequenceNumber: BigInt(from),
      };
      await webhooks.replaySink(request, admittedBy(admission, signal));
      return { body: { data: { from_sequence_number: from } } };
    },
  });
}
