// POST /v1/intake/cloudevents (docs/intake.md): CloudEvents 1.0 over HTTP, one or many.

import { invalid } from "@annals/errors";
import { Type } from "typebox";
import type { Deps } from "../deps.ts";
import { named, openDetail } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import { IntakeResultBody } from "./intake-result.ts";
import { readCloudEvents } from "./read-cloudevents.ts";
import { renderResult, storeItems } from "./store-items.ts";

const Body = named(
  "CloudEvent",
  Type.Unknown({
    description:
      "The data of the event, whose attributes are headers with the prefix `ce-`; or, as " +
      "`application/cloudevents+json`, an event; or, as `application/cloudevents-batch+json`, an array of at most 1,000.",
    examples: [{ total: 1250 }],
  }),
);

const ATTRIBUTES = openDetail("intake-attributes");

const attribute = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      description: `In binary mode. ${description}`,
      examples: [example],
      ...ATTRIBUTES,
    }),
  );

/** The attributes that an event must have. */
const Headers = Type.Object({
  "ce-specversion": attribute("The version of CloudEvents.", "1.0"),
  "ce-id": attribute("Unique in its source.", "1"),
  "ce-source": attribute("A URI reference.", "/billing"),
  "ce-type": attribute("Becomes the action.", "invoice.update"),
});

export function storeCloudevents(
  deps: Pick<Deps, "appends" | "intake" | "limits" | "turns">,
): Route {
  const { limits, turns } = deps;
  return route({
    summary: "Store CloudEvents",
    description:
      "Takes binary, structured and batched mode. One event that is not valid is refused with 422, in a batch it is " +
      "counted and costs no other.",
    headers: Headers,
    body: Body,
    rawBody: "any",
    window: "intake",
    success: { status: 201, body: IntakeResultBody },
    planLimit: "month",
    maxBodyBytes: limits.intakeBodyMaxBytes,
    // Not async: the body would be held until the response (register-routes.ts).
    handle: (call) => {
      const { admission, rawHeaders, receivedAt } = call;
      const request = { bytes: call.body as Buffer | undefined, rawHeaders };
      return turns
        .run(admission.accountId, readCloudEvents(request, limits), call)
        .then(async ({ isBatch, items }) => {
          const stored = { admission, receivedAt };
          const result = await storeItems(deps, "cloudevents", { items }, stored);
          const [rejection] = isBatch ? [] : result.firstRejections;
          if (rejection)
            throw invalid({ field: "", message: `The CloudEvent: ${rejection.reason}.` });
          return renderResult(result);
        });
    },
  });
}
