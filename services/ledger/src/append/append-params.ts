// Lays plans out as the parameters of the append statements: one array or one run of bytes a column.

import { textArray } from "@annals/postgres";
import type { ChainedEvent, Plan } from "../domain/plan-flush.ts";
import type { AppendParams } from "../store/append-events.ts";
import type { AppendColumns } from "../store/append-parts.ts";
import type { AppendToChainsParams } from "../store/append-to-chains.ts";

/** A plan, and the account whose chain it is for. */
export interface PlannedAppend {
  readonly accountId: string;
  readonly plan: Plan;
}

export function appendParams({ accountId, plan }: PlannedAppend): AppendParams {
  return [
    accountId,
    String(plan.before.sequence),
    ...columns([plan], plan.createdAt),
    plan.after.month,
    String(plan.after.monthStart),
  ];
}

export function appendToChainsParams(planned: readonly PlannedAppend[]): AppendToChainsParams {
  const plans = planned.map(({ plan }) => plan);
  const counts = plans.map(({ events }) => events.length);
  let before = 0;
  const countsBefore = counts.map((count) => (before += count) - count);
  const createdAts = plans.map(({ createdAt }) => createdAt);
  return [
    planned.map(({ accountId }) => accountId),
    plans.map((plan) => String(plan.before.sequence)),
    ...columns(plans, createdAts),
    plans.map(({ after }) => after.month),
    plans.map(({ after }) => String(after.monthStart)),
    counts,
    countsBefore,
    plans.flatMap(({ events }, index) => events.map(() => index + 1)),
    plans.flatMap(({ remembered }, index) => remembered.map(() => index + 1)),
  ];
}

function columns<CreatedAt>(
  plans: readonly Plan[],
  createdAt: CreatedAt,
): AppendColumns<CreatedAt> {
  const events = plans.flatMap((plan) => plan.events);
  const appends = plans.flatMap((plan) => plan.appends);
  const remembered = plans.flatMap((plan) => plan.remembered);
  const texts = (of: (event: ChainedEvent) => string | Uint8Array | undefined) =>
    textArray(events.map((event) => of(event) ?? null));
  return [
    Buffer.from(plans.map(hashes).join(""), "hex"),
    texts(({ id }) => id),
    texts(({ event }) => event.action),
    texts(({ event }) => event.occurredAt),
    texts(({ receivedAt }) => receivedAt),
    createdAt,
    Buffer.concat(appends.map(({ digests }) => digests)),
    texts(({ event }) => event.actor),
    texts(({ event }) => event.context),
    texts(({ event }) => event.diff),
    texts(({ event }) => event.metadata),
    texts(({ event }) => event.target),
    Buffer.concat(appends.map(({ salts }) => salts)),
    texts(({ event }) => event.actorId),
    texts(({ event }) => event.actorType),
    texts(({ event }) => event.targetId),
    texts(({ event }) => event.targetType),
    remembered.map(({ idempotencyKey }) => idempotencyKey),
    Buffer.concat(remembered.map(({ requestSha256 }) => requestSha256)),
    remembered.map(({ firstSequence }) => String(firstSequence)),
    remembered.map(({ eventCount }) => eventCount),
  ];
}

function hashes({ before, events }: Plan): string {
  return before.hash + events.map(({ hash }) => hash).join("");
}
