// The search bar, the range of time next to it, and the filters as chips, which a narrow viewer shows. Used
// by the frame. The bar is a combobox of ARIA 1.2: the focus stays in its field.

import { printQuery, type QueryFault } from "@annals/query";
import { html, nothing, type TemplateResult } from "lit";
import { filtersOf, timesOf, withoutTimes } from "../filter.ts";
import type { QueryBar } from "../query-bar.ts";
import { type Range, sinceSpan, SPANS, type Times } from "../range.ts";
import type { Texts } from "../texts.ts";
import type { EventFilter } from "../types.ts";
import { fieldOf, timeOf, zoneName } from "../zone.ts";
import { visible, visibleText } from "./visible.ts";

export interface QueryView {
  readonly texts: Texts;
  readonly filter: EventFilter;
  readonly query: QueryBar;
  readonly range: Range;
  readonly onApply: (filter: EventFilter) => void;
  readonly onRange: (range: Range, times?: Times) => void;
}

/** The longest query: 20 values of 256 characters, with their names. */
const MAX_CHARACTERS = 8_000;

export function queryForm(view: QueryView): TemplateResult {
  const { texts, query, range } = view;
  const { text } = texts;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    query.enter();
  };
  return html`<form
      class="query"
      part="filters"
      role="search"
      aria-label=${text("search")}
      @submit=${submit}
    >
      ${combobox(view)} ${rangeSelect(view)}
      <button type="submit" part="button">${text("search")}</button>
    </form>
    ${query.fault ? faultView(query.fault, query.text, texts) : nothing}
    ${range === "own" ? ownRange(view) : nothing} ${chips(view)}`;
}

function combobox({ texts, query, filter, onApply }: QueryView): TemplateResult {
  const { offered, active, fault } = query;
  const isOpen = offered.length > 0;
  const { text } = texts;
  return html`<div class="combobox">
    <input
      id="query"
      part="input"
      role="combobox"
      aria-label=${text("query")}
      aria-autocomplete="list"
      aria-expanded=${isOpen}
      aria-controls="offered"
      aria-activedescendant=${active >= 0 ? `offered-${active}` : nothing}
      aria-invalid=${fault !== undefined}
      aria-describedby=${fault ? "query-fault" : nothing}
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      dir="auto"
      maxlength=${MAX_CHARACTERS}
      placeholder="action:user.* -outcome:success"
      .value=${query.text}
      @input=${query.onInput}
      @keydown=${query.onKey}
      @blur=${() => query.close()}
    />
    ${
      query.text !== "" || Object.keys(filtersOf(filter)).length > 0
        ? html`<button
            type="button"
            part="button"
            class="clear"
            aria-label=${text("clear")}
            title=${text("clear")}
            @click=${() => onApply({})}
          >
            ✕
          </button>`
        : nothing
    }
    <ul id="offered" role="listbox" aria-label=${text("suggestions")} ?hidden=${!isOpen}>
      ${offered.map(
        ({ label }, place) =>
          html`<li
            id="offered-${place}"
            role="option"
            aria-selected=${place === active}
            @mousedown=${(event: Event) => event.preventDefault()}
            @click=${() => query.take(place)}
          >
            <bdi>${visible(label)}</bdi>
          </li>`,
      )}
    </ul>
  </div>`;
}

/** What is wrong, with the place in the query. */
function faultView({ kind, from, to }: QueryFault, query: string, { text }: Texts) {
  const part = visibleText(query.slice(from, to));
  return html`<p class="fault" id="query-fault" role="alert">
    ${text(kind, { part, place: from + 1 })}
  </p>`;
}

function rangeSelect({ texts, filter, range, onRange }: QueryView): TemplateResult {
  const change = (event: Event) => {
    const value = (event.target as HTMLSelectElement).value as Range;
    if (value === "own" || value === "given") onRange(value);
    else onRange(value, value === "" ? {} : sinceSpan(Number(value), Date.now()));
  };
  const option = (value: string, label: string) =>
    html`<option value=${value} ?selected=${value === range}>${label}</option>`;
  const { occurred_from: from, occurred_to: to } = timesOf(filter);
  return html`<select
    part="input"
    class="range"
    aria-label=${texts.text("range")}
    @change=${change}
  >
    ${option("", texts.text("allTimes"))}
    ${SPANS.map(([size, unit], place) => option(String(place), texts.last(size, unit)))}
    ${range === "given" ? option("given", texts.range(from, to)) : nothing}
    ${option("own", texts.text("ownRange"))}
  </select>`;
}

/** Times that the reader writes, in the zone that the viewer shows. */
function ownRange({ texts, filter, onRange }: QueryView): TemplateResult {
  const { zone, text } = texts;
  const times = timesOf(filter);
  const input = (name: keyof Times, label: string) =>
    html`<label
      >${label} (${zoneName(zone)})
      <input
        name=${name}
        part="input"
        type="datetime-local"
        step="1"
        .value=${fieldOf(times[name], zone)}
      />
    </label>`;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onRange("own", readTimes(event.currentTarget as HTMLFormElement, times, texts));
  };
  return html`<form class="times" part="filters" aria-label=${text("range")} @submit=${submit}>
    ${input("occurred_from", text("from"))} ${input("occurred_to", text("to"))}
    <button type="submit" part="button">${text("apply")}</button>
  </form>`;
}

/** A time that was not changed stays as exact as it was: the field has whole seconds. */
function readTimes(form: HTMLFormElement, before: Times, { zone }: Texts): Times {
  const times: Times = {};
  for (const name of ["occurred_from", "occurred_to"] as const) {
    const { value } = form.elements.namedItem(name) as HTMLInputElement;
    const kept = before[name];
    if (value === "") continue;
    const isKept = kept !== undefined && Date.parse(value) === Date.parse(fieldOf(kept, zone));
    times[name] = isKept ? kept : timeOf(value, zone).toISOString();
  }
  return times;
}

/** Each filter by itself, to be taken away. */
function chips({ texts, filter, onApply }: QueryView): TemplateResult | typeof nothing {
  const filters = withoutTimes(filtersOf(filter));
  const names = Object.keys(filters) as (keyof EventFilter)[];
  if (names.length === 0) return nothing;
  return html`<ul class="chips" aria-label=${texts.text("filters")}>
    ${names.map((name) => {
      const term = visibleText(printQuery({ [name]: filters[name] ?? [] }));
      const remove = () => {
        const { [name]: _removed, ...others } = filter;
        onApply(others);
      };
      return html`<li>
        <button
          type="button"
          part="button"
          aria-label=${texts.text("removeFilter", { part: term })}
          @click=${remove}
        >
          <bdi>${term}</bdi> ✕
        </button>
      </li>`;
    })}
  </ul>`;
}
