// The filters of a list of events, as the ledger gets them. Called by the routes that list and export.

import { parseTimestamp } from "@annals/contract";
import { invalid } from "@annals/errors";
import type { EventFilterSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Static } from "typebox";
import type { FilterBody } from "../../render/event-filter.ts";

/**
 * Throws `invalid` for an invalid time and for a text that no event can contain. `within` is the prefix of
 * member names in errors: `filter.` if they are members of that object.
 */
export function filterRequest(
  filters: Static<typeof FilterBody>,
  within = "",
): MessageInitShape<typeof EventFilterSchema> {
  for (const [field, value] of Object.entries(filters)) {
    // PostgreSQL refuses text with this character: as a parameter it would cause an internal error.
    if (typeof value === "string" && value.includes("\0")) {
      throw invalid({ field: within + field, message: "must not contain the character U+0000" });
    }
  }
  const { action, after_sequence: after, before_sequence: before } = filters;
  const isPrefix = action?.endsWith("*") ?? false;
  return {
    ...(action !== undefined && {
      action: isPrefix ? action.slice(0, -1) : action,
      actionIsPrefix: isPrefix,
    }),
    ...(filters.actor_id !== undefined && { actorId: filters.actor_id }),
    ...(filters.actor_type !== undefined && { actorType: filters.actor_type }),
    ...(filters.target_id !== undefined && { targetId: filters.target_id }),
    ...(filters.target_type !== undefined && { targetType: filters.target_type }),
    ...(filters.occurred_from !== undefined && {
      occurredFrom: time(`${within}occurred_from`, filters.occurred_from),
    }),
    ...(filters.occurred_to !== undefined && {
      occurredTo: time(`${within}occurred_to`, filters.occurred_to),
    }),
    ...(after !== undefined && { afterSequence: BigInt(after) }),
    ...(before !== undefined && { beforeSequence: BigInt(before) }),
  };
}

function time(field: string, given: string): string {
  // A plus sign in a query string is read as a space.
  const parsed = parseTimestamp(given.replace(" ", "+"));
  if (parsed === undefined) {
    const message =
      "must be an ISO 8601 date and time with an offset, such as 2026-01-31T09:30:00Z";
    throw invalid({ field, message });
  }
  return parsed;
}
