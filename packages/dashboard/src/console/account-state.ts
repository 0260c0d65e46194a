// What is in one account and what lags there, as a part of its page.

import { html, type TemplateResult } from "lit";
import { table } from "../parts/table.ts";
import { numberText, timeView } from "../parts/time.ts";
import { lagsView, unavailableView } from "./lags.ts";
import type { AccountDetail } from "./resources.ts";

interface Line {
  readonly what: string;
  readonly state: TemplateResult | string;
}

export function stateView(account: AccountDetail): TemplateResult {
  const { lags, unavailable, verified_at: verifiedAt } = account;
  const lines: Line[] = [
    {
      what: "Events",
      state: html`${countOf(account.events)}, the newest ${timeView(account.newest_event_at)}`,
    },
    {
      what: "Verification",
      state: html`${countOf(account.verified_events)} events, the last time ${timeView(verifiedAt)}`,
    },
    { what: "Webhooks", state: failingOf(account.webhooks, account.failing_webhooks) },
    { what: "Sinks", state: failingOf(account.sinks, account.failing_sinks) },
    { what: "Exports in progress", state: countOf(account.open_exports) },
    { what: "Open erasures", state: countOf(account.open_erasures) },
    { what: "Lags", state: lagsView(lags) },
  ];
  return html`<section aria-labelledby="state">
    <h2 id="state">State</h2>
    ${unavailableView(unavailable)}
    ${table<Line>(
      "State",
      [
        { title: "What", cell: ({ what }) => what },
        { title: "State", cell: ({ state }) => html`${state}` },
      ],
      lines,
    )}
  </section>`;
}

const countOf = (count: number | null): string => (count === null ? "unknown" : numberText(count));

function failingOf(count: number | null, failing: number | null): string {
  if (count === null || failing === null) return "unknown";
  return failing === 0 ? numberText(count) : `${numberText(count)}, of which ${failing} fail`;
}
