// What stands above the table, and what is said over it: the badge of all that is shown, buttons, errors,
// news. Used by the element.

import { html, nothing, type TemplateResult } from "lit";
import type { RequestError } from "../client.ts";
import type { Bars } from "../bars.ts";
import type { Feed } from "../feed.ts";
import { timesOf } from "../filter.ts";
import type { BadgeState, Summary } from "../proof/badge.ts";
import type { Texts } from "../texts.ts";
import type { EventFilter, Messages, Zone } from "../types.ts";
import { zoneName } from "../zone.ts";

export interface BarView {
  readonly texts: Texts;
  readonly filter: EventFilter;
  /** Undefined if events are not counted. */
  readonly counted: Bars | undefined;
  readonly summary: Summary;
  readonly isLive: boolean;
  readonly onZone: (zone: Zone) => void;
  readonly onLive: () => void;
  readonly onDownload: () => void;
}

export function bar(view: BarView): TemplateResult {
  const { texts, isLive } = view;
  const { text } = texts;
  return html`<div class="bar" part="bar">
    ${view.counted ? countLine(view.counted, view) : nothing}
    <div class="grow">${pageBadge(view.summary, texts)}</div>
    ${zones(view)}
    <button type="button" part="button" aria-pressed=${isLive} @click=${view.onLive}>
      ${text("live")}
    </button>
    <button type="button" part="button" @click=${view.onDownload}>${text("download")}</button>
  </div>`;
}

/** How many events there are, and of which time. */
function countLine({ total, isCut, bars }: Bars, { texts, filter }: BarView): TemplateResult {
  const name = isCut ? "countedNewest" : total === 1 ? "countedOne" : "counted";
  const times = timesOf(filter);
  const from = Date.parse(times.occurred_from ?? "") || bars[0]?.from;
  const to = Date.parse(times.occurred_to ?? "") || bars.at(-1)?.to;
  const span = from !== undefined && to !== undefined ? ` · ${texts.span(from, to)}` : "";
  return html`<div class="count" part="count">
    <strong>${texts.text(name, { count: total })}</strong>${span}
  </div>`;
}

/** The zone of all times: the reader's, by its name, or UTC. */
function zones({ texts, onZone }: BarView): TemplateResult {
  const change = (event: Event) => onZone((event.target as HTMLSelectElement).value as Zone);
  return html`<select part="input" aria-label=${texts.text("zone")} @change=${change}>
    <option value="local" ?selected=${texts.zone === "local"}>
      ${texts.text("local")} (${zoneName("local")})
    </option>
    <option value="utc" ?selected=${texts.zone === "utc"}>UTC</option>
  </select>`;
}

/** The worst first: one event that differs is what a reader must see. It opens what a badge proves. */
function pageBadge({ total, counts }: Summary, { text }: Texts) {
  if (total === 0) return nothing;
  const says = (state: BadgeState, name: keyof Messages, count: number) =>
    html`<details class="claim">
      <summary class="badge ${state}" part="badge badge-${state}">
        <span>${text(name, { count, total })}</span>
      </summary>
      <p>${text(counts.unchecked > 0 && insecure() ? "insecure" : "claim")}</p>
      <p>${text("noClaim")}</p>
    </details>`;
  if (counts.differs > 0) return says("differs", "pageDiffers", counts.differs);
  if (counts.checking > 0) return says("checking", "pageChecking", counts.checking);
  if (counts.unchecked > 0) return says("unchecked", "pageUnchecked", counts.unchecked);
  const shown = counts.hidden > 0 ? "hidden" : counts.erased > 0 ? "erased" : "verified";
  return says(shown, total === 1 ? "pageVerifiedOne" : "pageVerified", total);
}

function insecure(): boolean {
  return !globalThis.isSecureContext;
}

export interface NoticesView {
  readonly texts: Texts;
  readonly feed: Feed;
  readonly newer: number;
  readonly isFiltered: boolean;
  readonly onNewer: () => void;
  readonly onRetry: () => void;
  readonly onReload: () => void;
  readonly onAllEvents: () => void;
  readonly onAllTimes: () => void;
  readonly onSearchOn: () => void;
}

/** What is said where rows would be, each with a way on. */
export function notices(view: NoticesView): TemplateResult {
  const { texts, feed, newer, isFiltered, onNewer, onRetry, onSearchOn } = view;
  const { text } = texts;
  const { count } = feed.rows;
  const button = (name: keyof Messages, onClick: () => void) =>
    html`<button type="button" part="button" @click=${onClick}>${text(name)}</button>`;
  const all = isFiltered ? button("allEvents", view.onAllEvents) : nothing;
  return html`${
    newer > 0
      ? html`<button type="button" part="button" class="newer" @click=${onNewer}>
          ${text("newEvents", { count: newer })}
        </button>`
      : nothing
  }
  ${
    feed.error
      ? html`<div class="notice" part="error" role="alert">
          <p>${faultOf(feed.error, texts)}</p>
          ${button("retry", onRetry)} ${all}
        </div>`
      : feed.isPaused
        ? html`<div class="notice" part="paused" role="status">
            <p>${text("searchPaused")}</p>
            ${button("searchOn", onSearchOn)} ${all}
          </div>`
        : count > 0
          ? nothing
          : feed.isLoading || feed.rows.hasMore
            ? html`<div class="notice muted" part="empty">${text("loading")}</div>`
            : html`<div class="notice" part="empty">
                <p>${emptyText(view)}</p>
                ${feed.newestElsewhere === undefined ? nothing : button("allTimes", view.onAllTimes)}
                ${isFiltered ? all : button("lookAgain", view.onReload)}
              </div>`
  }`;
}

function emptyText({ texts, feed, isFiltered }: NoticesView): string {
  const time = feed.newestElsewhere;
  if (time !== undefined) return texts.text("emptyRange", { time: texts.short(time) });
  return texts.text(isFiltered ? "emptyFiltered" : "empty");
}

/** What went wrong, as a sentence, with the id of the request. */
export function faultOf(error: RequestError, { text }: Texts): TemplateResult {
  const sentence =
    error.status === 0
      ? text("unreachable")
      : error.status === 401
        ? text("ended")
        : error.status === 404
          ? text("notFound")
          : error.status === 429
            ? text("limited", { seconds: error.retryAfterSeconds })
            : text("failed", { message: error.message });
  return html`${sentence}
  ${
    error.requestId === ""
      ? nothing
      : html`<span class="muted">${text("requestId", { id: error.requestId })}</span>`
  }`;
}
