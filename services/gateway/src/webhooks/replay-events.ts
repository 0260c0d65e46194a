// POST /v1/webhooks/{id}/replay (docs/interface.md): queues the events of a range again, as new
// deliveries.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { CLOSED, Count, idIn, named, SequenceNumber } from "../render/schema.ts";
import { WebhookId } from "./render-webhook.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const Bound = (description: string, example: number) =>
  SequenceNumber({ maximum: Number.MAX_SAFE_INTEGER, description, examples: [example] });

const Body = named(
  "ReplayRange",
  Type.Object(
    {
      from_sequence_number: Bound("First event of the range.", 40),
      to_sequence_number: Bound("Last event of the range.", 42),
    },
    CLOSED,
  ),
);

const Queued = named(
  "QueuedDeliveries",
  Type.Object({
    deliveries: Count({ description: "How many deliveries were queued.", examples: [3] }),
  }),
);

export function replayEvents({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "Replay a range of events",
    description:
      "Queues a new delivery for each event of the range, both ends included, at most 1,000, that the filter of the " +
      "webhook selects: all of them or none. " +
      "Returns 422 if the webhook is disabled, or if its URL has not accepted a delivery yet: send a test delivery first.",
    feature: "webhooks",
    params: idIn(WebhookId),
    body: Body,
    success: { status: 201, body: dataOf(Queued) },
    failures: [404],
    handle: async ({ admission, body, params, signal }) => {
      const { deliveries } = await webhooks.replayEvents(
        {
          accountId: admission.accountId,
          webhookId: params.id,
          fromSequenceNumber: BigInt(body.from_sequence_number),
          toSequenceNumber: BigInt(body.to_sequence_number),
        },
        admittedBy(admission, signal),
      );
      return { body: { data: { deliveries } } };
    },
  });
}
