// UpdateWebhook: changes the URL, the event patterns, the filter, or whether the webhook is active
// (interface 9.1). A webhook that is enabled, or subscribes to more, receives what is stored from then on,
// and another filter acts on that. For a disabled webhook no delivery begins after the response.

import type { Clock } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { Database, Pool } from "@annals/postgres";
import type { UpdateWebhookRequest, WebhooksService } from "@annals/proto/webhooks";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { shownWebhook, webhookChange } from "../rules/audit-entries.ts";
import {
  changedFilter,
  columnsOf,
  type FilterColumns,
  filterOf,
  historyOf,
} from "../rules/filter-history.ts";
import { type Kind, KINDS, kindsOf } from "../rules/kinds.ts";
import type { WebhookFilter } from "../rules/webhook-filter.ts";
import type { AddressGuard } from "../../outbound/address-guard.ts";
import type { Positions, Producers } from "../../outbound/producers.ts";
import { AUDIT } from "../../store/audit.ts";
import { clearDrops } from "../../store/clear-drops.ts";
import { findWebhook, lockWebhook } from "../../store/find-webhook.ts";
import { readPosition } from "../store/read-position.ts";
import { takeNumber } from "../../store/take-number.ts";
import { updateWebhook as updateWebhookStatement } from "../store/update-webhook.ts";
import type { LockedWebhookRow, ShownWebhookRow, WebhookRow } from "../../store/webhook-row.ts";
import type { AwaitDisabled } from "./await-disabled.ts";
import { renderWebhook } from "./render-webhook.ts";
import { checkFilter } from "../filter-members.ts";
import { limitFields } from "../limit-fields.ts";
import { checkEvents, checkId, checkUrl } from "../webhook-members.ts";

export interface UpdateWebhookDeps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly guard: AddressGuard;
  readonly producers: Pick<Producers, "positions">;
  readonly awaitDisabled: AwaitDisabled;
  /** Called when a webhook of the account may have begun to subscribe to a kind. */
  readonly onSubscriber: (accountId: string) => void;
}

type Changes = Pick<WebhookRow, "url" | "events" | "active" | "filter">;

/** What a request changes, checked. Undefined members stay as they are. */
interface Wanted {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly active?: boolean | undefined;
  /** Null: all events. */
  readonly filter?: WebhookFilter | null | undefined;
}

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
    const wanted = {
      ...request,
      events: request.events.length === 0 ? undefined : checkEvents(request.events),
      filter: request.filter && checkFilter(request.filter),
    };
    if (url !== undefined) checkUrl(deps.guard, url);
    const row = await change({ ...deps, database, actor: actorOf(context) }, wanted, found);
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
  wanted: Wanted & Pick<UpdateWebhookRequest, "accountId" | "id">,
  found: WebhookRow,
): Promise<ShownWebhookRow> {
  const { accountId, id } = wanted;
  let before: WebhookRow = found;
  let asked: readonly Kind[] = [];
  for (;;) {
    const needed = kindsToAsk(before, changed(before, wanted));
    asked = KINDS.filter((kind) => asked.includes(kind) || needed.includes(kind));
    const [positions] = await producers.positions([accountId], asked);
    const row = await database.transaction(async (transaction) => {
      const [locked] = await transaction.run(lockWebhook, [accountId, id]);
      if (!locked) throw notFound("webhook", id);
      before = locked;
      const now = changed(locked, wanted);
      if (!kindsToAsk(locked, now).every((kind) => asked.includes(kind))) return undefined;
      await limitFields(transaction, accountId, id, wanted.filter ?? null);
      const [e, v, x, c] = startsOf(beginning(locked, now), positions);
      const filter = await filterColumns(transaction, accountId, locked, now, positions);
      const [next] = await transaction.run(takeNumber, []);
      if (wanted.active === true) await transaction.run(clearDrops, [accountId, id]);
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
        wanted.active === true,
        actor.id ?? null,
        next?.number ?? "0",
        filter.filter,
        filter.filter_after,
        filter.earlier_filters,
      ]);
      const diff = { before: shownWebhook(locked), after: shownWebhook(now) };
      const updated = { actor, occurredAt: clock.nowText(), diff };
      await AUDIT.add(transaction, webhookChange("updated", accountId, id, updated));
      return (await transaction.run(findWebhook, [accountId, id]))[0];
    });
    if (row) return row;
  }
}

function changed(row: WebhookRow, { active, events, filter, url }: Wanted): Changes {
  return {
    url: url ?? row.url,
    events: events ?? row.events,
    active: active ?? row.active,
    filter: filter === undefined ? row.filter : filter && JSON.stringify(filter),
  };
}

/** The kinds that begin, and events if another filter acts on later ones. */
function kindsToAsk(before: Changes, after: Changes): readonly Kind[] {
  return changesFilter(before, after)
    ? [...beginning(before, after), "events"]
    : beginning(before, after);
}

/** Whether the webhook receives events before and after the change, by different filters. */
function changesFilter(before: Changes, after: Changes): boolean {
  const both = [before, after];
  const receives = both.every(({ active, events }) => active && kindsOf(events).includes("events"));
  return receives && before.filter !== after.filter;
}

/** Earlier events that are not queued yet are still judged by the filter of their time. */
async function filterColumns(
  transaction: Database,
  accountId: string,
  locked: LockedWebhookRow,
  now: Changes,
  positions: Positions | undefined,
): Promise<FilterColumns> {
  if (!changesFilter(locked, now)) {
    const isKept = locked.filter === now.filter && !beginning(locked, now).includes("events");
    return isKept ? locked : { filter: now.filter, filter_after: "0", earlier_filters: null };
  }
  const [cursor] = await transaction.run(readPosition, [accountId, "events"]);
  const places = { cursor: BigInt(cursor?.position ?? 0), head: positions?.events ?? 0n };
  return columnsOf(changedFilter(historyOf(locked), filterOf(now), places));
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
