// UpdateWebhook: changes the URL, the event patterns, or whether the webhook is active (interface 9.1).
// A webhook that is enabled, or subscribes to more, receives what is stored from then on. For a disabled
// webhook no delivery begins after the response.

import type { Clock } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { UpdateWebhookRequest, WebhooksService } from "@annals/proto/webhooks";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { shownWebhook, webhookChange } from "../domain/audit-entries.ts";
import { type Kind, KINDS, kindsOf } from "../domain/kinds.ts";
import type { AddressGuard } from "../outbound/address-guard.ts";
import type { Positions, Producers } from "../outbound/producers.ts";
import { AUDIT } from "../store/audit.ts";
import { clearDrops } from "../store/clear-drops.ts";
import { findWebhook, lockWebhook } from "../store/find-webhook.ts";
import { takeNumber } from "../store/take-number.ts";
import { updateWebhook as updateWebhookStatement } from "../store/update-webhook.ts";
import type { ShownWebhookRow, WebhookRow } from "../store/webhook-row.ts";
import type { AwaitDisabled } from "./await-disabled.ts";
import { renderWebhook } from "./render-webhook.ts";
import { checkEvents, checkId, checkUrl } from "./webhook-members.ts";

export interface UpdateWebhookDeps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly guard: AddressGuard;
  readonly producers: Pick<Producers, "positions">;
  readonly awaitDisabled: AwaitDisabled;
  /** Called when a webhook of the account may have begun to subscribe to a kind. */
  readonly onSubscriber: (accountId: string) => void;
}

type Changes = Pick<WebhookRow, "url" | "events" | "active">;

export function updateWebhook(
  deps: UpdateWebhookDeps,
): ServiceImpl<typeof WebhooksService>["updateWebhook"] {
  return async (request, context) => {
    const { accountId, id, url } = request;
    complete({ account_id: accountId, id });
    checkId(id);
    const database = deps.database.forAccount(accountId, context.signal);
    const [found] = await database.run(findWebhook, [accountId, id]);
    if (!found) throw notFound("webhook", id);
    const events = request.events.length === 0 ? undefined : checkEvents(request.events);
    if (url !== undefined) checkUrl(deps.guard, url);
    const row = await change(
      { ...deps, database, actor: actorOf(context) },
      request,
      events,
      found,
    );
    if (row.active) deps.onSubscriber(accountId);
    else await deps.awaitDisabled(accountId, id);
    return { webhook: renderWebhook(row) };
  };
}

type Changing = Pick<UpdateWebhookDeps, "clock" | "database" | "producers"> & {
  readonly actor: ReturnType<typeof actorOf>;
};

/**
 * Changes a webhook. It asks the producers before it locks the row, so that no request waits behind that lock
 * for another service. If another request has changed the row meanwhile so that more kinds begin, it asks for
 * those too and tries again. Each retry asks for at least one more kind, so there are no more retries than
 * kinds.
 */
async function change(
  { actor, clock, database, producers }: Changing,
  request: UpdateWebhookRequest,
  events: readonly string[] | undefined,
  found: WebhookRow,
): Promise<ShownWebhookRow> {
  const { accountId, id } = request;
  let before: WebhookRow = found;
  let asked: readonly Kind[] = [];
  for (;;) {
    const needed = beginning(before, changed(before, request, events));
    asked = KINDS.filter((kind) => asked.includes(kind) || needed.includes(kind));
    const [positions] = await producers.positions([accountId], asked);
    const row = await database.transaction(async (transaction) => {
      const [locked] = await transaction.run(lockWebhook, [accountId, id]);
      if (!locked) throw notFound("webhook", id);
      before = locked;
      const now = changed(locked, request, events);
      const begun = beginning(locked, now);
      if (!begun.every((kind) => asked.includes(kind))) return undefined;
      const [e, v, x, c] = startsOf(begun, positions);
      const [next] = await transaction.run(takeNumber, []);
      if (request.active === true) await transaction.run(clearDrops, [accountId, id]);
      await transaction.run(updateWebhookStatement, [
        accountId,
        id,
        now.url,
        now.events,
        now.active,
        e,
        v,
        x,
        c,
        request.active === true,
        actor.id ?? null,
        next?.number ?? "0",
      ]);
      const diff = { before: shownWebhook(locked), after: shownWebhook(now) };
      const updated = { actor, occurredAt: clock.nowText(), diff };
      await AUDIT.add(transaction, webhookChange("updated", accountId, id, updated));
      return (await transaction.run(findWebhook, [accountId, id]))[0];
    });
    if (row) return row;
  }
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

/** The kinds that the webhook subscribes to after the change and did not before. */
function beginning(before: Changes, after: Changes): Kind[] {
  if (!after.active) return [];
  const had = before.active ? kindsOf(before.events) : [];
  return kindsOf(after.events).filter((kind) => !had.includes(kind));
}

function startsOf(
  begun: readonly Kind[],
  positions: Positions | undefined,
): [bigint | null, bigint | null, bigint | null, bigint | null] {
  const start = (kind: Kind) => (begun.includes(kind) ? (positions?.[kind] ?? 0n) : null);
  return [start("events"), start("verifications"), start("exports"), start("checkpoints")];
}
