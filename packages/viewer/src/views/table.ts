// The table: a grid of which only the rows in sight exist. Used by the element. What an event holds becomes
// text nodes alone, each isolated from the direction of its neighbours.

import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Row } from "../event-window.ts";
import { badgeOf, isErased } from "../proof/badge.ts";
import type { Texts } from "../texts.ts";
import type { Json, JsonObject, Messages } from "../types.ts";
import { badge } from "./badge.ts";
import { cut, visible } from "./visible.ts";

/** Longest text in a cell: the rest is in the detail. */
const CELL_CHARACTERS = 200;

export interface TableView {
  readonly texts: Texts;
  readonly now: number;
  /** The rows in sight; undefined if one is being loaded. */
  readonly rows: readonly (Row | undefined)[];
  /** The place of the first of them. */
  readonly from: number;
  readonly count: number;
  readonly hasMore: boolean;
  readonly active: number;
  readonly selectedId: string | undefined;
  readonly onScroll: () => void;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly onOpen: (index: number) => void;
}

const COLUMNS: readonly (keyof Messages)[] = ["time", "action", "actor", "target", "proof"];

export function table(view: TableView): TemplateResult {
  const { texts, rows, from, count, hasMore, active } = view;
  const isShown = active >= from && active < from + rows.length;
  return html`<div
    class="grid"
    part="table"
    role="grid"
    tabindex="0"
    aria-label=${texts.text("label")}
    aria-rowcount=${hasMore ? -1 : count + 1}
    aria-colcount=${COLUMNS.length}
    aria-activedescendant=${isShown ? `row-${active}` : nothing}
    @scroll=${view.onScroll}
    @keydown=${view.onKey}
  >
    <div role="rowgroup" class="head" part="head">
      <div role="row" class="row" aria-rowindex="1">
        ${COLUMNS.map((name) => html`<div role="columnheader">${texts.text(name)}</div>`)}
      </div>
    </div>
    <div role="rowgroup" class="body">
      <div class="rows" role="presentation">
        ${repeat(
          rows,
          (_, at) => from + at,
          (row, at) => rowOf(row, from + at, view),
        )}
      </div>
    </div>
  </div>`;
}

function rowOf(row: Row | undefined, index: number, view: TableView): TemplateResult {
  const { texts, now, active, selectedId, onOpen } = view;
  const isActive = index === active;
  return html`<div
    id="row-${index}"
    class="row ${isActive ? "active" : ""}"
    part="row"
    role="row"
    aria-rowindex=${index + 2}
    aria-selected=${row !== undefined && row.event.id === selectedId}
    @click=${() => onOpen(index)}
  >
    ${row ? cells(row, texts, now) : html`<div role="gridcell">${texts.text("loading")}</div>`}
  </div>`;
}

function cells(row: Row, texts: Texts, now: number): TemplateResult {
  const { event } = row;
  return html`<div role="gridcell" class="cell" part="time">
      <time datetime=${event.occurred_at} title=${event.occurred_at}
        >${texts.relative(event.occurred_at, now)}</time
      >
      <bdi class="muted">${texts.exact(event.occurred_at)}</bdi>
    </div>
    <div role="gridcell" class="cell action" part="action">${text(event.action)}</div>
    <div role="gridcell" class="cell" part="actor">${partyIn(row, "actor", texts)}</div>
    <div role="gridcell" class="cell" part="target">${partyIn(row, "target", texts)}</div>
    <div role="gridcell" class="cell">${badge(badgeOf(row), texts)}</div>`;
}

function partyIn({ event }: Row, part: "actor" | "target", texts: Texts): TemplateResult {
  return isErased(event, part)
    ? html`<span class="erased">${texts.text("partErased")}</span>`
    : party(event[part]);
}

/** Who, and what kind; one of them alone is fine. */
function party(given: JsonObject | undefined): TemplateResult {
  return html`${text(given?.["id"])}<span class="muted">${text(given?.["type"])}</span>`;
}

function text(value: Json | undefined): TemplateResult | typeof nothing {
  if (value === undefined) return nothing;
  const whole = typeof value === "string" ? value : JSON.stringify(value);
  return html`<bdi>${visible(cut(whole, CELL_CHARACTERS))}</bdi>`;
}
