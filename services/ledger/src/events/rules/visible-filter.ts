// Refuses a filter that would tell what a widget token hides: whether an event is found says what is in it.
// Called for the filters of requests. That of the token itself is its maker's choice.

import { AnnalsError } from "@annals/errors";
import type { EventFilter } from "../../search/rules/event-filter.ts";

/** The name of a part in WIDGET_PARTS. Ids and types are shown always, and no field has them. */
function partOf([part = ""]: readonly string[]): string {
  return part === "actor" || part === "target" ? `${part}.meta` : part;
}

/** Throws `scope_missing` if the filter is about a part that is not shown. */
export function requireVisible(filter: EventFilter, shown: readonly string[]): void {
  const asked = [...(filter.fields ?? []), ...(filter.not?.fields ?? [])];
  const hidden = asked.map(({ path }) => partOf(path)).find((part) => !shown.includes(part));
  if (hidden !== undefined) throw hides(hidden, "filter by");
}

/** Throws the same for a field whose values are counted. One without a path is shown always. */
export function requireVisibleField(path: readonly string[], shown: readonly string[]): void {
  const part = partOf(path);
  if (path.length > 0 && !shown.includes(part)) throw hides(part, "count");
}

function hides(part: string, verb: string): AnnalsError {
  const message = `This token does not show ${part}, so it cannot ${verb} what is in it.`;
  return new AnnalsError("scope_missing", message);
}
