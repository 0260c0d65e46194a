// What the counts of a widget token are of: its own filter bounds each request, and no field of a part that
// it hides is counted. Called by the RPCs of counts for widget tokens.

import { intersectFilters } from "../events/rules/intersect-filters.ts";
import { requireVisible, requireVisibleField } from "../events/rules/visible-filter.ts";
import type { EventFilter } from "../search/rules/event-filter.ts";
import type { Asker } from "./answer-counts.ts";

/** A filter, and the parts that are shown. */
interface View {
  readonly filter: EventFilter;
  readonly parts: readonly string[];
}

export function allowedIn(view: View): Asker["allow"] {
  return (own, fields) => {
    requireVisible(own, view.parts);
    for (const { path } of fields) requireVisibleField(path, view.parts);
    const both = intersectFilters(view.filter, own);
    // A text in what is hidden would tell it.
    return both && { ...both, textParts: view.parts };
  };
}
