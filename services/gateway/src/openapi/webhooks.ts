// What subscribers receive, in the document: a POST for each event, with its payload and its signatures
// (interface 9.2, docs/webhooks.md). The webhook dispatcher makes and signs the payloads.

import { EVENT_NAMES, type EventName } from "@annals/contract";
import { Type, type TObject, type TSchema } from "typebox";
import { EventBody } from "../events/render-event.ts";
import { ExportBody } from "../exports/render-export.ts";
import { AccountCheckpointBody } from "../log/render-log.ts";
import { Id, named, openDetail, Time, TIME_EXAMPLE } from "../render/schema.ts";
import { VerificationBody } from "../verify/render-verification.ts";
import { WebhookId } from "../webhooks/render-webhook.ts";
import { WEBHOOK_TEST } from "./open-operations.ts";
import { jsonContent, parametersOf } from "./operation.ts";
import type { Components } from "./schemas.ts";

export const DELIVERIES_TAG = {
  name: "Deliveries",
  description: "What a subscriber's server receives. Annals sends these; it does not serve them.",
};

const PayloadId = Id("wh_evt", "7k0n3r6v9z2d5h8m1q4t7x0b3f");

const STANDARD = openDetail("standard-webhooks");

const Headers = Type.Object({
  "X-Service-Signature": Type.String({
    pattern: "^[0-9a-f]{64}$",
    description:
      "Lower-case hexadecimal HMAC-SHA256 of the raw body; the key is the webhook's secret as shown. " +
      "Compare it in constant time.",
    examples: ["0329a06b62cd16b33eb6792be8c60b158d89a2ee3a876fce9a881ebb488c0914"],
  }),
  "webhook-id": Type.String({ ...PayloadId, description: "The payload's id.", ...STANDARD }),
  "webhook-timestamp": Type.Integer({
    description: "Time of this attempt, in seconds since 1970.",
    examples: [Math.floor(Date.parse(TIME_EXAMPLE) / 1_000)],
    ...STANDARD,
  }),
  "webhook-signature": Type.String({
    pattern: "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$",
    description:
      "`v1,` and base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>`, as Standard Webhooks " +
      "define it. After a rotation of the secret there is one signature per secret, separated by a space.",
    examples: ["v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="],
    ...STANDARD,
  }),
});

const DATA: Readonly<Record<EventName, readonly [summary: string, data: TSchema]>> = {
  "event.created": ["An event was stored", EventBody],
  "event.verified": ["A verification finished", VerificationBody],
  "export.completed": ["An export completed", ExportBody],
  "log.checkpointed": ["An epoch of the log covers new events", AccountCheckpointBody],
};

const TEST = Type.Object({ webhook_id: WebhookId }, WEBHOOK_TEST);

/** The document's `webhooks`. */
export function webhooksOf(components: Components): Readonly<Record<string, object>> {
  const sent = EVENT_NAMES.map((name) => [name, delivery(name, ...DATA[name], components)]);
  const test = delivery("webhook.test", "A test of the webhook", TEST, components);
  return Object.fromEntries([...sent, ["webhook.test", test]]);
}

function delivery(event: string, summary: string, data: TSchema, components: Components): object {
  const pascal = event.replaceAll(/(?:^|\.)(\w)/g, (_, first: string) => first.toUpperCase());
  const payload: TObject = named(
    `${pascal}Payload`,
    Type.Object({ id: PayloadId, event: Type.Literal(event), data, timestamp: Time() }),
  );
  return {
    post: {
      operationId: `receive-${event.replace(".", "-")}`,
      summary,
      description:
        "Retried after 1, 5 and 15 minutes if the receiver does not respond with a 2xx within 10 seconds.",
      tags: [DELIVERIES_TAG.name],
      security: [],
      parameters: parametersOf("header", Headers, components),
      requestBody: { required: true, content: jsonContent(payload, components) },
      responses: {
        "2XX": { description: "Received. Only the status code matters." },
        default: { description: "Not received: the delivery is retried." },
      },
    },
  };
}
