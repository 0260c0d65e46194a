// POST /v1/webhooks/{id}/rotate-secret (docs/interface.md): a new signing secret, which is in this
// response only. The one before stays valid for a while.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { CLOSED, idIn, named, Nullable, Time } from "../render/schema.ts";
import { renderWebhook, WebhookBody, WebhookId, WebhookSecretBody } from "./render-webhook.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const DEFAULT_GRACE_S = 86_400;
const MAX_GRACE_S = 7 * 86_400;

const Body = named(
  "SecretRotation",
  Type.Object(
    {
      grace_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MAX_GRACE_S,
          description: `How long deliveries are also signed with the old secret. Default: ${DEFAULT_GRACE_S}.`,
          examples: [3_600],
        }),
      ),
    },
    CLOSED,
  ),
);

const Rotated = named(
  "RotatedWebhook",
  Type.Object({
    ...WebhookBody.properties,
    secret: WebhookSecretBody,
    previous_secret_expires_at: Nullable(Time(), {
      description: "Null if the old secret is no longer valid.",
    }),
  }),
);

export function rotateSecret({ webhooks }: Pick<Deps, "webhooks">): Route {
  return route({
    summary: "Rotate the signing secret of a webhook",
    description:
      "During the grace period `webhook-signature` contains a signature for each secret, and " +
      "`X-Service-Signature` is made with the old one.",
    feature: "webhooks",
    params: idIn(WebhookId),
    body: Body,
    success: { status: 200, body: dataOf(Rotated) },
    failures: [404],
    handle: async ({ admission, body, params }) => {
      const { webhook, secret, previousSecretExpiresAt } = await webhooks.rotateSecret(
        {
          accountId: admission.accountId,
          webhookId: params.id,
          graceSeconds: body.grace_seconds ?? DEFAULT_GRACE_S,
        },
        admittedBy(admission),
      );
      const previous_secret_expires_at = previousSecretExpiresAt ?? null;
      return { body: { data: { ...renderWebhook(webhook), secret, previous_secret_expires_at } } };
    },
  });
}
