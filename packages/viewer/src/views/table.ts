// The table: a grid of which only the rows in sight exist. Used by the element. What an event holds becomes
// text nodes alone, each isolated from the direction of its neighbours.

import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Row } from "../event-window.ts";
import { badgeOf } from "../proof/badge.ts";
import type { Texts } from "../texts.ts";
import type { Messages } from "../types.ts";
import { zoneName } from "../zone.ts";
import { badge } from "./badge.ts";
import { address, line, outcome, party } from "./facts.ts";

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

const COLUMNS: readonly (keyof Messages)[] = [
  "time",
  "action",
  "actor",
  "target",
  "address",
  "proof",
];

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
        ${COLUMNS.map(
          (name) =>
            html`<div role="columnheader" class="cell">
              <span title=${name === "time" ? zoneName(texts.zone) : nothing}
                >${texts.text(name)}${name === "time" ? ` (${zoneName(texts.zone)})` : ""}</span
              >
            </div>`,
        )}
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
      <time
        datetime=${event.occurred_at}
        title="${texts.relative(event.occurred_at, now)}, ${event.occurred_at}"
        >${texts.short(event.occurred_at)}</time
      >
    </div>
    <div role="gridcell" class="cell" part="action">
      <span class="action">${line(event.action)}</span>${outcome(event)}
    </div>
    <div role="gridcell" class="cell" part="actor">${party(event, "actor", texts)}</div>
    <div role="gridcell" class="cell" part="target">${party(event, "target", texts)}</div>
    <div role="gridcell" class="cell" part="address">${address(event)}</div>
    <div role="gridcell" class="cell proof">${badge(badgeOf(row), texts, "mark")}</div>`;
}
