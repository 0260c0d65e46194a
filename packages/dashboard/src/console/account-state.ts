// What is in one account and what lags there, as a part of its page.

import { html, type TemplateResult } from "lit/html.js";
import { numberText, timeView } from "../parts/time.ts";
import { lagsView, unavailableView } from "./lags.ts";
import type { AccountDetail } from "./resources.ts";

export function stateView(account: AccountDetail): TemplateResult {
  const { newest_event_at: newestAt, unavailable, verified_at: verifiedAt } = account;
  return html`<section aria-labelledby="state">
    <h2 id="state">State</h2>
    ${unavailableView(unavailable)}
    <dl class="fields">
      <div>
        <dt>Events</dt>
        <dd>${countOf(account.events)}${since(", the newest", newestAt)}</dd>
      </div>
      <div>
        <dt>Verified events</dt>
        <dd>${countOf(account.verified_events)}${since(", last", verifiedAt)}</dd>
      </div>
      <div>
        <dt>Webhooks</dt>
        <dd>${failingOf(account.webhooks, account.failing_webhooks)}</dd>
      </div>
      <div>
        <dt>Sinks</dt>
        <dd>${failingOf(account.sinks, account.failing_sinks)}</dd>
      </div>
      <div>
        <dt>Exports in progress</dt>
        <dd>${countOf(account.open_exports)}</dd>
      </div>
      <div>
        <dt>Open erasures</dt>
        <dd>${countOf(account.open_erasures)}</dd>
      </div>
      <div>
        <dt>Lags</dt>
        <dd>${lagsView(account.lags)}</dd>
      </div>
    </dl>
  </section>`;
}

const countOf = (count: number | null): string => (count === null ? "unknown" : numberText(count));

const since = (what: string, time: string | null): TemplateResult =>
  time === null ? html`` : html`${what} ${timeView(time)}`;

function failingOf(count: number | null, failing: number | null): string {
  if (count === null || failing === null) return "unknown";
  return failing === 0 ? numberText(count) : `${numberText(count)}, ${numberText(failing)} failing`;
}
