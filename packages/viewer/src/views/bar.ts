// What stands above the table, and what is said over it: the badge of all that is shown, buttons, errors,
// news. Used by the element.

import { html, nothing, type TemplateResult } from "lit";
import type { RequestError } from "../client.ts";
import type { Feed } from "../feed.ts";
import type { BadgeState, Summary } from "../proof/badge.ts";
import type { Texts } from "../texts.ts";
import type { Messages } from "../types.ts";

export interface BarView {
  readonly texts: Texts;
  readonly summary: Summary;
  readonly hasFilters: boolean;
  readonly isLive: boolean;
  readonly onFilters: () => void;
  readonly onLive: () => void;
  readonly onDownload: () => void;
}

export function bar(view: BarView): TemplateResult {
  const { texts, hasFilters, isLive } = view;
  const { text } = texts;
  return html`<div class="bar" part="bar">
    <span class="grow">${pageBadge(view.summary, texts)}</span>
    <button
      type="button"
      part="button"
      aria-expanded=${hasFilters}
      aria-controls="filters"
      @click=${view.onFilters}
    >
      ${text("filters")}
    </button>
    <button type="button" part="button" aria-pressed=${isLive} @click=${view.onLive}>
      ${text("live")}
    </button>
    <button type="button" part="button" @click=${view.onDownload}>${text("download")}</button>
  </div>`;
}

/** The worst first: one event that differs is what a reader must see. */
function pageBadge({ total, counts }: Summary, { text }: Texts) {
  const says = (state: BadgeState, name: keyof Messages, count: number, title: keyof Messages) =>
    html`<span class="badge ${state}" part="badge badge-${state}" title=${text(title)}
      >${text(name, { count, total })}</span
    >`;
  if (total === 0) return nothing;
  if (counts.differs > 0) return says("differs", "pageDiffers", counts.differs, "claim");
  if (counts.checking > 0) return says("checking", "pageChecking", counts.checking, "claim");
  if (counts.unchecked > 0)
    return says("unchecked", "pageUnchecked", counts.unchecked, insecure() ? "insecure" : "claim");
  const shown = counts.hidden > 0 ? "hidden" : counts.erased > 0 ? "erased" : "verified";
  return says(shown, "pageVerified", total, "claim");
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
  readonly onSearchOn: () => void;
}

export function notices(view: NoticesView): TemplateResult {
  const { texts, feed, newer, isFiltered, onNewer, onRetry, onSearchOn } = view;
  const { text } = texts;
  const { count } = feed.rows;
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
          ${faultOf(feed.error, texts)}
          <button type="button" part="button" @click=${onRetry}>${text("retry")}</button>
        </div>`
      : feed.isPaused
        ? html`<div class="notice muted" part="paused" role="status">
            ${text("searchPaused")}
            <button type="button" part="button" @click=${onSearchOn}>${text("searchOn")}</button>
          </div>`
        : count === 0
          ? html`<div class="notice muted" part="empty">
              ${text(feed.isLoading || feed.rows.hasMore ? "loading" : isFiltered ? "emptyFiltered" : "empty")}
            </div>`
          : nothing
  }`;
}

function faultOf(error: RequestError, { text }: Texts): TemplateResult {
  const sentence =
    error.status === 0
      ? text("unreachable")
      : error.status === 401
        ? text("ended")
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
