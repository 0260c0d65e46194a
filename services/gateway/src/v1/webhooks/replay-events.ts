// POST /v1/webhooks/{id}/replay (docs/open-details.md): queues the events of a range again, as new
// deliveries.

import { Type } from "typebox";
import { admittedBy } from "../../admission/admission.ts";
import { dataOf } from "../../render/data.ts";
import { type Route, route } from "../../route.ts";
import type { Deps } from "../../deps.ts";

const SequenceNumber = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

const Body = Type.Object(
  { from_sequence_number: SequenceNumber, to_sequence_number: SequenceNumber },
  { additionalProperties: false },
);

const Queued = Type.Object({
  deliveries: Type.Integer({ description: "How many were queued." }),
});

export function replayEvents({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "Replay a range of events",
    description:
      "Queues a new delivery for each event of the range, both ends included, at most 1,000. After an error, " +
      "a part of them may be queued. A disabled webhook is 422.",
    openDetail: true,
    feature: "webhooks",
    params: Type.Object({ id: Type.String() }),
    body: Body,
    success: { status: 201, body: dataOf(Queued) },
    failures: [404],
    handle: async ({ admission, body, params }) => {
      const { deliveries } = await webhooks.replayEvents(
        {
          accountId: admission.accountId,
          webhookId: params.id,
          fromSequenceNumber: BigInt(body.from_sequence_number),
          toSequenceNumber: BigInt(body.to_sequence_number),
        },
        admittedBy(admission),
      );
      return { body: { data: { deliveries } } };
    },
  });
}
