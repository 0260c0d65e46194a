// The most frequent values of some fields, each with its count: a click narrows the list to it. Used by the
// frame, on the left of a wide viewer.

import { nameOf } from "@annals/query";
import { html, nothing, type TemplateResult } from "lit";
import type { Facet } from "../client.ts";
import { excluding, filterFrom, filtersOf } from "../filter.ts";
import type { Texts } from "../texts.ts";
import type { EventFilter, Messages } from "../types.ts";
import { visible, visibleText } from "./visible.ts";

export interface FacetsView {
  readonly texts: Texts;
  readonly filter: EventFilter;
  readonly facets: readonly Facet[];
  readonly onApply: (filter: EventFilter) => void;
}

const LABELS: Readonly<Record<string, keyof Messages>> = {
  action: "action",
  actor_id: "actorId",
  actor_type: "actorType",
  target_id: "targetId",
  target_type: "targetType",
  outcome: "outcome",
};

export function facetLists(view: FacetsView): TemplateResult | typeof nothing {
  const shown = view.facets.filter(({ values }) => values.length > 0);
  if (shown.length === 0) return nothing;
  return html`<section class="facets" part="facets" aria-label=${view.texts.text("facets")}>
    ${shown.map((facet) => facetList(facet, view))}
  </section>`;
}

function facetList(facet: Facet, view: FacetsView): TemplateResult {
  const { field, values, other, exact, counted } = facet;
  const { text, number } = view.texts;
  const label = LABELS[field];
  return html`<div>
    <h2>${label ? text(label) : nameOf(field)}</h2>
    <ul>
      ${values.map((one) => valueView(field, one, view))}
    </ul>
    ${other > 0 ? html`<p class="muted">${text("others", { count: other })}</p>` : nothing}
    ${exact ? nothing : html`<p class="muted">${text("ofNewest", { count: number(counted.events) })}</p>`}
  </div>`;
}

/** A click with Alt excludes the value, as the button behind it does. */
function valueView(
  field: string,
  { value, count }: Facet["values"][number],
  { texts, filter, onApply }: FacetsView,
): TemplateResult {
  const { text, number } = texts;
  const filters = filtersOf(filter);
  const isOnly = filters[field]?.length === 1 && filters[field].includes(value);
  const exclude = () => onApply(excluding(filter, field, value));
  const choose = (event: MouseEvent) => {
    if (event.altKey) return exclude();
    const { [field]: _removed, ...others } = filters;
    onApply(filterFrom(isOnly ? others : { ...others, [field]: [value] }));
  };
  const shown = visibleText(value);
  return html`<li>
    <button
      type="button"
      part="facet"
      aria-pressed=${isOnly}
      title=${text("altExcludes")}
      @click=${choose}
    >
      <bdi>${visible(value)}</bdi> <span class="muted">${number(count)}</span>
    </button>
    <button
      type="button"
      part="tool"
      aria-label=${text("exclude", { part: shown })}
      @click=${exclude}
    >
      −
    </button>
  </li>`;
}
