// Lays a plan out as the parameters of the append statement: one array or one run of bytes a column.

import { textArray } from "@annals/postgres";
import type { ChainedEvent, Plan } from "../domain/plan-flush.ts";
import type { AppendParams } from "../store/append-events.ts";

export function appendParams(accountId: string, plan: Plan): AppendParams {
  const { events, appends, remembered } = plan;
  const texts = (of: (event: ChainedEvent) => string | Uint8Array | undefined) =>
    textArray(events.map((event) => of(event) ?? null));
  return [
    accountId,
    String(plan.before.sequence),
    Buffer.from(plan.before.hash + events.map(({ hash }) => hash).join(""), "hex"),
    texts(({ id }) => id),
    texts(({ event }) => event.action),
    texts(({ event }) => event.occurredAt),
    texts(({ receivedAt }) => receivedAt),
    plan.createdAt,
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
    plan.after.month,
    String(plan.after.monthStart),
  ];
}
