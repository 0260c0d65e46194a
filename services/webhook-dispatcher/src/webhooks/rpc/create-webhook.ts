// CreateWebhook: creates a webhook with its own signing secret (interface 9.1). The secret is in this
// response and nowhere else: a retry with the same idempotency key gets the webhook without it. The webhook
// receives what is stored after the response, and nothing that was stored before the request.

import { type Clock, newId } from "@annals/contract";
import { AnnalsError, complete } from "@annals/errors";
import { earlierResponse, keepResponse, type Pool } from "@annals/postgres";
import { WebhookSchema, type WebhooksService } from "@annals/proto/webhooks";
import { actorOf } from "@annals/rpc";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { shownWebhook, webhookChange } from "../rules/audit-entries.ts";
import { kindsOf } from "../rules/kinds.ts";
import type { SecretKeys } from "../../sealing/rules/secret-keys.ts";
import { newSigningSecret } from "../rules/signing-secret.ts";
import type { AddressGuard } from "../../outbound/address-guard.ts";
import type { Producers } from "../../outbound/producers.ts";
import { AUDIT } from "../../store/audit.ts";
import { findEarlier, REQUESTS } from "../../store/requests.ts";
import { countWebhooks } from "../../store/count-webhooks.ts";
import { createCursors } from "../store/create-cursors.ts";
import { createWebhook as createWebhookStatement } from "../store/create-webhook.ts";
import { lockAccount } from "../../store/lock-account.ts";
import { checkFilter, filterMember } from "../filter-members.ts";
import { limitFields } from "../limit-fields.ts";
import { checkEvents, checkUrl } from "../webhook-members.ts";

/** Maximum webhooks of an account whose plan was not named. */
const MAX_WEBHOOKS = 1_000;

export interface CreateWebhookDeps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly guard: AddressGuard;
  readonly idempotencyHours: number;
  readonly keys: SecretKeys;
  readonly producers: Pick<Producers, "positions">;
  readonly random: (size: number) => Uint8Array;
  /** Called when the account has a new webhook. */
  readonly onSubscriber: (accountId: string) => void;
}

export function createWebhook(
  deps: CreateWebhookDeps,
): ServiceImpl<typeof WebhooksService>["createWebhook"] {
  const { idempotencyHours } = deps;
  const kept = { idempotencyHours, operation: "create-webhook", requests: REQUESTS };
  return async (request, context) => {
    if (request.replayOnly) return replayOf(await findEarlier(deps.database, kept, request));
    const { accountId, url, active, maxWebhooks = MAX_WEBHOOKS } = request;
    const actor = actorOf(context);
    complete({ account_id: accountId, url });
    const events = checkEvents(request.events);
    const given = checkFilter(request.filter);
    checkUrl(deps.guard, url);
    const [after] = await deps.producers.positions([accountId], kindsOf(events));
    const id = newId("wh", deps.random);
    const secret = newSigningSecret(deps.random);
    const sealed = deps.keys.seal(secret, { accountId, webhookId: id }, deps.random);
    const createdAt = deps.clock.nowText();
    const filter = given && JSON.stringify(given);
    const shown = { id, url, events, active, createdAt, ...filterMember(given) };
    const webhook = create(WebhookSchema, shown);
    const earlier = await deps.database.forAccount(accountId).transaction(async (transaction) => {
      await transaction.run(lockAccount, [accountId]);
      const known = await earlierResponse(transaction, kept, request);
      if (known) return known;
      const [row] = await transaction.run(countWebhooks, [accountId]);
      if ((row?.count ?? 0) >= maxWebhooks) throw planExceeded(maxWebhooks);
      await limitFields(transaction, accountId, id, given);
      await transaction.run(createCursors, [accountId]);
      await transaction.run(createWebhookStatement, [
        accountId,
        id,
        url,
        events,
        active,
        createdAt,
        sealed.keyId,
        sealed.bytes,
        after?.events ?? 0n,
        after?.verifications ?? 0n,
        after?.exports ?? 0n,
        after?.checkpoints ?? 0n,
        actor.id ?? null,
        filter,
      ]);
      const change = {
        actor,
        occurredAt: createdAt,
        diff: { after: shownWebhook({ url, events, active, filter }) },
      };
      await AUDIT.add(transaction, webhookChange("created", accountId, id, change));
      await keepResponse(transaction, kept, request, toBinary(WebhookSchema, webhook));
      return undefined;
    });
    if (earlier) return replayOf(earlier);
    deps.onSubscriber(accountId);
    return { webhook, secret };
  };
}

function replayOf(earlier: Uint8Array | undefined) {
  return earlier ? { webhook: fromBinary(WebhookSchema, earlier), secret: "", replayed: true } : {};
}

function planExceeded(maxWebhooks: number): AnnalsError {
  const webhooks = maxWebhooks === 1 ? "1 webhook" : `${maxWebhooks} webhooks`;
  return new AnnalsError("plan_count_exceeded", `The plan of this account allows ${webhooks}.`);
}
