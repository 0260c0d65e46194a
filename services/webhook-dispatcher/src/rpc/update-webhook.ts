// UpdateWebhook: changes URL, patterns, or whether it is active (interface 3 and 4.3). A webhook
// that is switched on, or that asks for more, is told of what comes from then on; one that is
// switched off begins no delivery after the response.

import { complete, notFound, unavailable } from "@annals/errors";
import type { NoticeKind } from "@annals/messaging";
import type { Pool } from "@annals/postgres";
import type { UpdateWebhookRequest, WebhooksService } from "@annals/proto/webhooks";
import type { ServiceImpl } from "@connectrpc/connect";
import { kindsOf } from "../domain/kinds.ts";
import type { AddressGuard } from "../outbound/address-guard.ts";
import type { Positions, Producers } from "../outbound/producers.ts";
import { findWebhook, lockWebhook } from "../store/find-webhook.ts";
import { updateWebhook as updateWebhookStatement } from "../store/update-webhook.ts";
import type { WebhookRow } from "../store/webhook-row.ts";
import type { SwitchOff } from "../workers/switch-off.ts";
import { renderWebhook } from "./render-webhook.ts";
import { checkEvents, checkId, checkUrl } from "./webhook-members.ts";

export interface UpdateWebhookDeps {
  readonly database: Pool;
  readonly guard: AddressGuard;
  readonly producers: Pick<Producers, "positions">;
  readonly switchOff: SwitchOff;
}

type Changes = Pick<WebhookRow, "url" | "events" | "active">;

export function updateWebhook(
  deps: UpdateWebhookDeps,
): ServiceImpl<typeof WebhooksService>["updateWebhook"] {
  return async (request) => {
    const { accountId, id, url } = request;
    complete({ account_id: accountId, id });
    checkId(id);
    const [found] = await deps.database.run(findWebhook, [accountId, id]);
    if (!found) throw notFound("webhook", id);
    const events = request.events.length === 0 ? undefined : checkEvents(request.events);
    if (url !== undefined) await checkUrl(deps.guard, url);
    // Asked before the row is locked: nobody is to wait for another service behind it.
    const kinds = beginning(found, changed(found, request, events));
    const [positions] = await deps.producers.positions([accountId], kinds);
    const after = { kinds, positions };
    const row = await deps.database.transaction(async (transaction) => {
      const [before] = await transaction.run(lockWebhook, [accountId, id]);
      if (!before) throw notFound("webhook", id);
      const now = changed(before, request, events);
      const [e, v, x] = startsOf(beginning(before, now), after);
      const [updated] = await transaction.run(updateWebhookStatement, [
        accountId,
        id,
        now.url,
        now.events,
        now.active,
        e,
        v,
        x,
      ]);
      return updated ?? before;
    });
    if (!row.active) await deps.switchOff.settle(accountId, id);
    return { webhook: renderWebhook(row) };
  };
}

function changed(
  row: WebhookRow,
  request: UpdateWebhookRequest,
  events: readonly string[] | undefined,
): Changes {
  return {
    url: request.url ?? row.url,
    events: events ?? row.events,
    active: request.active ?? row.active,
  };
}

/** The kinds that the webhook is told of after the change and was not before. */
function beginning(before: Changes, after: Changes): NoticeKind[] {
  if (!after.active) return [];
  const had = before.active ? kindsOf(before.events) : [];
  return kindsOf(after.events).filter((kind) => !had.includes(kind));
}

function startsOf(
  needed: readonly NoticeKind[],
  asked: { readonly kinds: readonly NoticeKind[]; readonly positions: Positions | undefined },
): [bigint | null, bigint | null, bigint | null] {
  if (!needed.every((kind) => asked.kinds.includes(kind))) {
    throw unavailable("Another request changes this webhook. Try again.");
  }
  const start = (kind: NoticeKind) =>
    needed.includes(kind) ? (asked.positions?.[kind] ?? 0n) : null;
  return [start("events"), start("verifications"), start("exports")];
}
