// The table: a grid of which only the rows in sight exist. Used by the frame; its cells are in cells.ts.

import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Row } from "../event-window.ts";
import type { Texts } from "../texts.ts";
import { cells, heads } from "./cells.ts";

export interface TableView {
  readonly texts: Texts;
  readonly now: number;
  /** Those that a wide table has, in order. */
  readonly columns: readonly string[];
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

export function table(view: TableView): TemplateResult {
  const { texts, columns, rows, from, count, hasMore, active } = view;
  const isShown = active >= from && active < from + rows.length;
  return html`<div
    class="grid"
    part="table"
    role="grid"
    tabindex="0"
    aria-label=${texts.text("label")}
    aria-rowcount=${hasMore ? -1 : count + 1}
    aria-activedescendant=${isShown ? `row-${active}` : nothing}
    @scroll=${view.onScroll}
    @keydown=${view.onKey}
  >
    <div role="rowgroup" class="head" part="head">
      <div role="row" class="row" aria-rowindex="1">${heads(columns, texts)}</div>
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
  const { texts, columns, now, active, selectedId, onOpen } = view;
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
    ${row ? cells(columns, row, texts, now) : html`<div role="gridcell">${texts.text("loading")}</div>`}
  </div>`;
}
