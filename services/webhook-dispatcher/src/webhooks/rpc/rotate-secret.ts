// RotateSecret: gives a webhook a new signing secret, which is in this response and nowhere else
// (docs/interface.md). Deliveries are also signed with the previous secret until its grace period is over.

import { complete, invalid, notFound } from "@annals/errors";
import type { Clock } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { WebhooksService } from "@annals/proto/webhooks";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { webhookChange } from "../rules/audit-entries.ts";
import type { SecretKeys } from "../../sealing/rules/secret-keys.ts";
import { newSigningSecret } from "../rules/signing-secret.ts";
import { AUDIT } from "../../store/audit.ts";
import { findWebhook } from "../../store/find-webhook.ts";
import { rotateSecret as rotateSecretStatement } from "../store/rotate-secret.ts";
import { renderWebhook } from "./render-webhook.ts";
import { checkId } from "../webhook-members.ts";

export interface RotateSecretDeps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly keys: SecretKeys;
  readonly random: (size: number) => Uint8Array;
  /** See store/moment.ts. */
  readonly now: () => string;
}

const MAX_GRACE_S = 7 * 86_400;

export function rotateSecret(
  deps: RotateSecretDeps,
): ServiceImpl<typeof WebhooksService>["rotateSecret"] {
  return async ({ accountId, webhookId, graceSeconds }, context) => {
    const actor = actorOf(context);
    complete({ account_id: accountId, webhook_id: webhookId });
    checkId(webhookId);
    if (graceSeconds > MAX_GRACE_S) {
      throw invalid({ field: "grace_seconds", message: `must be at most ${MAX_GRACE_S}` });
    }
    const secret = newSigningSecret(deps.random);
    const sealed = deps.keys.seal(secret, { accountId, webhookId }, deps.random);
    const row = await deps.database
      .forAccount(accountId, context.signal)
      .transaction(async (transaction) => {
        const [rotated] = await transaction.run(rotateSecretStatement, [
          accountId,
          webhookId,
          sealed.keyId,
          sealed.bytes,
          graceSeconds,
          deps.now(),
          actor.id ?? null,
        ]);
        const [found] = await transaction.run(findWebhook, [accountId, webhookId]);
        if (!rotated || !found) throw notFound("webhook", webhookId);
        const metadata = { grace_seconds: graceSeconds };
        const change = { actor, occurredAt: deps.clock.nowText(), metadata };
        await AUDIT.add(transaction, webhookChange("secret_rotated", accountId, webhookId, change));
        return found;
      });
    return {
      webhook: renderWebhook(row),
      secret,
      ...(row.previous_until !== null && { previousSecretExpiresAt: row.previous_until }),
    };
  };
}
