// Lays a plan out as the parameters of the append statement: one array or one run of bytes a column.

import { textArray } from "@annals/postgres";
import type { ChainedEvent, Plan } from "../domain/plan-flush.ts";
import type { AppendParams } from "../store/append-events.ts";

export function appendParams(accountId: string, plan: Plan): AppendParams {
  const { events, remembered } = plan;
  const texts = (of: (event: ChainedEvent) => string | undefined) =>
    textArray(events.map((event) => of(event) ?? null));
  return [
    accountId,
    String(plan.before.sequence),
    Buffer.from(plan.before.hash + events.map(({ hash }) => hash).join(""), "hex"),
    texts(({ id }) => id),
    texts(({ action }) => action),
    texts(({ occurredAt }) => occurredAt),
    texts(({ receivedAt }) => receivedAt),
    plan.createdAt,
    Buffer.concat(events.map(({ digests }) => digests)),
    texts(({ actor }) => actor),
    texts(({ context }) => context),
    texts(({ diff }) => diff),
    texts(({ metadata }) => metadata),
    texts(({ target }) => target),
    Buffer.concat(events.map(({ salts }) => salts)),
    texts(({ actorId }) => actorId),
    texts(({ actorType }) => actorType),
    texts(({ targetId }) => targetId),
    texts(({ targetType }) => targetType),
    remembered.map(({ idempotencyKey }) => idempotencyKey),
    Buffer.concat(remembered.map(({ requestSha256 }) => requestSha256)),
    remembered.map(({ firstSequence }) => String(firstSequence)),
    remembered.map(({ eventCount }) => eventCount),
    plan.after.month,
    String(plan.after.monthStart),
  ];
}
