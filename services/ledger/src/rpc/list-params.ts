// A filter as the parameters of the list statements.

import type { EventFilter as EventFilterMessage } from "@annals/proto/ledger";
import { actionRange } from "../domain/event-filter.ts";
import type { ListParams } from "../store/list-events.ts";

export function listParams(
  accountId: string,
  filter: EventFilterMessage | undefined,
  limit: number,
): ListParams {
  const action = filter ? actionRange(filter) : { exact: null, from: null, to: null };
  return [
    accountId,
    filter?.afterSequence?.toString() ?? null,
    filter?.beforeSequence?.toString() ?? null,
    action.exact,
    action.from,
    action.to,
    filter?.actorId ?? null,
    filter?.actorType ?? null,
    filter?.targetId ?? null,
    filter?.targetType ?? null,
    filter?.occurredFrom ?? null,
    filter?.occurredTo ?? null,
    limit,
  ];
}
