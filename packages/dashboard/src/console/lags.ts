// What lags in accounts, as the screens of the console show it.

import { html, type TemplateResult } from "lit/html.js";
import { timeView } from "../parts/time.ts";
import type { Lag } from "./resources.ts";

/** What is late, and where the handbook for operators says what to do. */
const LATE: Readonly<Record<Lag["what"], { readonly text: string; readonly runbook: string }>> = {
  verification: { text: "Not verified", runbook: "alerts-ledger.md#chains-not-verified" },
  erasure: { text: "Erasure open", runbook: "alerts-ledger.md#erasure-open" },
  export: { text: "Export not finished", runbook: "alerts-deliveries.md#exports-stuck" },
  webhook: { text: "Webhook failing", runbook: "alerts-deliveries.md#webhooks-failing" },
  sink: { text: "Sink failing", runbook: "alerts-deliveries.md#sinks-failing" },
};

export const runbookOf = ({ what }: Pick<Lag, "what">): string =>
  `docs/operators/${LATE[what].runbook}`;

export const lagView = ({ since, what }: Lag): TemplateResult =>
  html`${LATE[what].text} since ${timeView(since)}`;

export function lagsView(lags: readonly Lag[]): TemplateResult {
  if (lags.length === 0) return html`nothing`;
  return html`${lags.map((lag) => html`<div>${lagView(lag)}</div>`)}`;
}

/** Which services have not answered, for a list that lacks what they know. */
export function unavailableView(services: readonly string[]): TemplateResult {
  if (services.length === 0) return html``;
  return html`<div class="error" role="alert">
    <p>No answer from ${services.join(", ")}. What only these services know is missing here.</p>
  </div>`;
}
