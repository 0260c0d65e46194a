// A filter, and the events to read, as the parameters of the list statements.

import { actionRange, type EventFilter } from "../domain/event-filter.ts";
import type { ListParams } from "../store/list-events.ts";

interface Reading {
  /** Sequence numbers, both included; to Infinity: no end. */
  readonly from: number;
  readonly to: number;
  readonly numbers: readonly number[] | null;
  readonly limit: number;
}

export function listParams(
  { accountId, filter }: { readonly accountId: string; readonly filter: EventFilter },
  { from, to, numbers, limit }: Reading,
): ListParams {
  const action = actionRange(filter);
  return [
    accountId,
    String(from - 1),
    to === Infinity ? null : String(to + 1),
    action.exact,
    action.from,
    action.to,
    filter.actorId ?? null,
    filter.actorType ?? null,
    filter.targetId ?? null,
    filter.targetType ?? null,
    filter.occurredFrom ?? null,
    filter.occurredTo ?? null,
    numbers,
    limit,
  ];
}
