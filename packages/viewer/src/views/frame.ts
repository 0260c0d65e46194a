// The whole of the viewer: the search bar, the bar, the table with what is said over it, and the opened
// event. Used by the element, whose state it turns into markup.

import { html, nothing, type TemplateResult } from "lit";
import type { Coverage } from "../coverage.ts";
import type { ErasureRecords } from "../erasures.ts";
import type { Feed } from "../feed.ts";
import { excluding, filtersOf } from "../filter.ts";
import type { Opened } from "../opened.ts";
import type { Search } from "../search.ts";
import type { Tally } from "../tally.ts";
import type { Texts } from "../texts.ts";
import type { EventFilter, Zone } from "../types.ts";
import type { Viewport } from "../viewport.ts";
import { bar, notices } from "./bar.ts";
import { barChart } from "./bars.ts";
import { detail } from "./detail.ts";
import { facetLists } from "./facets.ts";
import { queryForm } from "./query.ts";
import { table } from "./table.ts";

export interface FrameView {
  readonly texts: Texts;
  readonly filter: EventFilter;
  readonly search: Search;
  readonly columns: readonly string[];
  readonly isLive: boolean;
  readonly status: string;
  readonly feed: Feed;
  readonly viewport: Viewport;
  readonly opened: Opened;
  readonly tally: Tally;
  readonly coverage: Coverage | undefined;
  readonly erasures: ErasureRecords | undefined;
  readonly onZone: (zone: Zone) => void;
  readonly onLive: () => void;
  readonly onApply: (filter: EventFilter) => void;
  readonly onOpen: (index: number) => void;
  readonly onClose: () => void;
  /** Opens the first event that matches. */
  readonly onFirst: (filter: EventFilter) => void;
  readonly onReload: () => void;
  readonly onDownload: () => void;
  readonly onShowAll: () => void;
  readonly onCopy: (text: string) => void;
  readonly onCopyCurl: () => void;
}

export function frame(view: FrameView): TemplateResult {
  const { filter, feed, opened, search } = view;
  const isFiltered = Object.keys(filtersOf(filter)).length > 0;
  const counted = view.tally.counts?.bars;
  const isOpen = opened.id !== "";
  return html`<div class="frame ${isOpen ? "has-detail" : ""}">
    ${queryForm({ ...view, query: search.query, range: search.range, onRange: (...chosen) => search.setRange(...chosen) })}
    ${bar({
      ...view,
      counted,
      summary: feed.summary,
    })}
    ${counted ? barChart({ texts: view.texts, counted, pick: view.tally.pick }) : nothing}
    <div class="main">
      ${list(view, isFiltered)} ${facetLists({ ...view, facets: view.tally.counts?.facets ?? [] })}
      ${isOpen ? openedEvent(view) : nothing}
    </div>
    <div class="unseen" role="status">${view.status}</div>
  </div>`;
}

function list(view: FrameView, isFiltered: boolean): TemplateResult {
  const { texts, feed, viewport, opened, search } = view;
  const { count, hasMore } = feed.rows;
  return html`<div class="list ${count === 0 ? "is-empty" : ""}">
    ${table({
      texts,
      columns: view.columns,
      now: Date.now(),
      rows: feed.rows.slice(viewport.from, viewport.to),
      from: viewport.from,
      count,
      hasMore,
      active: viewport.active,
      selectedId: opened.id,
      onScroll: () => viewport.measure(),
      onKey: (event) => viewport.key(event),
      onOpen: view.onOpen,
    })}
    ${notices({
      texts,
      feed,
      newer: viewport.newer,
      isFiltered,
      onNewer: () => viewport.toTop(),
      onRetry: () => feed.retry(),
      onReload: view.onReload,
      onAllEvents: () => view.onApply({}),
      onAllTimes: () => search.setRange("", {}),
      onSearchOn: () => feed.searchOn(),
    })}
  </div>`;
}

function openedEvent(view: FrameView): TemplateResult {
  const { opened, feed, coverage, erasures, filter } = view;
  const { row, place } = opened;
  const step = (by: number) => {
    const next = (place ?? -1) + by;
    const isThere = place !== undefined && next >= 0 && next < feed.rows.count;
    return isThere ? () => view.onOpen(next) : undefined;
  };
  return detail({
    ...view,
    row,
    error: opened.error,
    now: Date.now(),
    covered: row && coverage?.of(row.event.sequence_number),
    recordOf: (part) => row && erasures?.of(row.event, part),
    showAll: opened.showAll,
    onFilter: (name, value) => view.onApply({ ...filter, [name]: value }),
    onExclude: (name, value) => view.onApply(excluding(filter, name, value)),
    onFirst: (name, value) => view.onFirst({ [name]: value }),
    onNewer: step(-1),
    onOlder: step(1),
  });
}
