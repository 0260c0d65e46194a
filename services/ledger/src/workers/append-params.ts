// Lays a plan out as the parameters of the append statement: one array or one run of bytes a column.

import type { Plan } from "../domain/plan-flush.ts";
import type { AppendParams } from "../store/append-events.ts";

export function appendParams(accountId: string, plan: Plan): AppendParams {
  const { events, remembered } = plan;
  return [
    accountId,
    String(plan.before.sequence),
    Buffer.from(plan.before.hash + events.map(({ hash }) => hash).join(""), "hex"),
    events.map(({ id }) => id),
    events.map(({ action }) => action),
    events.map(({ occurredAt }) => occurredAt),
    events.map(({ receivedAt }) => receivedAt),
    plan.createdAt,
    Buffer.concat(events.map(({ digests }) => digests)),
    events.map(({ actor }) => actor),
    events.map(({ context }) => context),
    events.map(({ diff }) => diff),
    events.map(({ metadata }) => metadata),
    events.map(({ target }) => target),
    Buffer.concat(events.map(({ salts }) => salts)),
    events.map(({ actorId }) => actorId ?? null),
    events.map(({ actorType }) => actorType ?? null),
    events.map(({ targetId }) => targetId ?? null),
    events.map(({ targetType }) => targetType ?? null),
    remembered.map(({ idempotencyKey }) => idempotencyKey),
    Buffer.concat(remembered.map(({ requestSha256 }) => requestSha256)),
    remembered.map(({ firstSequence }) => String(firstSequence)),
    remembered.map(({ eventCount }) => eventCount),
    plan.after.month,
    String(plan.after.monthStart),
  ];
}
