// What is used of each limit of the account, and what the key or the role may do. All of it is one response.

import type { Scope, Usage } from "@annals/sdk";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { table } from "../parts/table.ts";
import { numberText, sizeText } from "../parts/time.ts";
import { type Context, Loader, type Screen } from "../screen.ts";
import { visible } from "../parts/visible.ts";

/** Share of a limit from which its bar has another colour. */
const HIGH = 0.8;

/** The share below which a bar would look empty and is left out. */
const LOW = 0.01;

type Feature = Usage["plan"]["features"][number];

interface Bar {
  readonly id: string;
  readonly what: string;
  readonly use: { readonly used: number; readonly limit: number | null } | null;
  readonly hint?: string;
  /** Formats a value; by default as a number. */
  readonly text?: (value: number) => string;
}

interface Allowed {
  readonly what: string;
  readonly scope: Scope;
  /** The feature of a plan that it needs; undefined if no plan leaves it out. */
  readonly feature?: Feature;
}

const USES: readonly Allowed[] = [
  { what: "Events and widget tokens", scope: "events:read" },
  { what: "Storing events", scope: "events:write" },
  { what: "Verification", scope: "verify", feature: "verify" },
  { what: "Exports", scope: "export", feature: "exports" },
  { what: "API keys", scope: "keys:manage" },
  { what: "Webhooks and sinks", scope: "keys:manage", feature: "webhooks" },
];

export class UsageScreen implements Screen {
  readonly #usage: Loader<Usage>;

  constructor({ api, update }: Context) {
    this.#usage = new Loader(update, (signal) => api.usage.get({ signal }));
  }

  readonly stop = (): void => this.#usage.stop();

  readonly view = (): TemplateResult =>
    html`${this.#usage.view(usageView)}
      <p class="buttons">
        <button type="button" @click=${() => void this.#usage.load()}>Refresh</button>
      </p>`;
}

function usageView(usage: Usage): TemplateResult {
  const { key, plan, retention_days: days } = usage;
  const allowed =
    key.role === undefined ? "What this key may do" : `What your role, ${key.role}, may do`;
  return html`<p>
      The plan of this account is <strong class="text">${visible(plan.name)}</strong>. The operator
      sets the limits. Account <code class="breaks">${usage.account_id}</code>, ${ownOf(usage)}
      <code class="breaks">${key.id}</code>.
    </p>
    ${emptyView(usage)}
    <section aria-labelledby="limits">
      <h2 id="limits">Limits</h2>
      <div class="uses">${barsOf(usage).map(barView)}</div>
      <p class="hint">${keptText("An export", days.exports, plan, "exports")}</p>
      <p class="hint">${keptText("The record of a delivery", days.deliveries, plan, "webhooks")}</p>
    </section>
    <section aria-labelledby="allowed">
      <h2 id="allowed">${allowed}</h2>
      ${table<Allowed>(
        allowed,
        [
          { title: "Use", cell: ({ what }) => what },
          { title: "Scope", cell: ({ scope }) => html`<code>${scope}</code>` },
          { title: "State", cell: (one) => verdictView(one, usage) },
        ],
        USES,
      )}
    </section>`;
}

function emptyView({ events }: Usage): TemplateResult | typeof nothing {
  if (events.used > 0) return nothing;
  return html`<p class="empty">
    There are no events yet. Store the first one with <code>POST /v1/events</code>:
    <a href="/docs">the reference</a> explains how.
  </p>`;
}

function barsOf(usage: Usage): Bar[] {
  const { account_requests: ofAccount, month_events, requests } = usage;
  const own = ownOf(usage);
  return [
    {
      id: "requests",
      what: `Requests of ${own}`,
      use: requests,
      hint: `The window ends in ${requests.resets_in} seconds. The dashboard's own requests count.`,
    },
    {
      id: "account_requests",
      what: "Requests of the account",
      use: ofAccount,
      hint: `Requests of all keys and widget tokens. The window ends in ${ofAccount.resets_in} seconds.`,
    },
    { id: "month_events", what: `Events of ${month_events.month}`, use: month_events },
    { id: "events", what: "Stored events", use: usage.events },
    { id: "api_keys", what: "Live API keys", use: usage.api_keys },
    { id: "widget_tokens", what: "Live widget tokens", use: usage.widget_tokens },
    {
      id: "widget_tokens_of_key",
      what: `Live widget tokens of ${own}`,
      use: usage.widget_tokens_of_key,
    },
    { id: "webhooks", what: "Webhooks", use: usage.webhooks },
    { id: "sinks", what: "Sinks", use: usage.sinks },
    { id: "pending_deliveries", what: "Pending deliveries", use: usage.pending_deliveries },
    {
      id: "pending_delivery_bytes",
      what: "Size of the pending deliveries",
      use: usage.pending_delivery_bytes,
      text: sizeText,
    },
    { id: "exports_under_way", what: "Unfinished exports", use: usage.exports_under_way },
    { id: "exports", what: "Kept exports", use: usage.exports },
    {
      id: "export_bytes",
      what: "Size of the export files",
      use: usage.export_bytes,
      text: sizeText,
    },
    {
      id: "events_exported_today",
      what: "Events exported today (UTC)",
      use: usage.events_exported_today,
    },
    {
      id: "events_replayed_today",
      what: "Events replayed today (UTC)",
      use: usage.events_replayed_today,
    },
  ];
}

const ownOf = ({ key }: Usage): string => (key.role === undefined ? "this key" : "your login");

function barView({ id, what, use, hint, text = numberText }: Bar): TemplateResult {
  if (use === null) return html`<div><strong>${what}</strong>: not in the plan</div>`;
  const { used, limit } = use;
  if (limit === null)
    return html`<div><strong>${what}</strong>: ${text(used)}, without a limit</div>`;
  const isReached = used >= limit;
  const hasBar = used >= limit * LOW;
  return html`<div>
    <label for=${hasBar ? id : nothing}>
      <strong>${what}</strong>: ${text(used)} of ${text(limit)}
      ${isReached ? html`<span class="badge bad">limit reached</span>` : nothing}
    </label>
    ${hasBar ? meterView(id, used, limit) : nothing}
    ${hint === undefined ? nothing : html`<p class="hint">${hint}</p>`}
  </div>`;
}

/** A limit of 0 is a full bar. */
const meterView = (id: string, used: number, limit: number): TemplateResult =>
  html`<meter
    id=${id}
    max=${Math.max(1, limit)}
    high=${limit * HIGH}
    .value=${used >= limit ? Math.max(1, limit) : used}
  ></meter>`;

/** Nothing for what the plan leaves out. */
function keptText(
  what: string,
  days: number | null,
  plan: Usage["plan"],
  feature: Feature,
): string {
  if (!plan.features.includes(feature)) return "";
  return days === null ? `${what} is kept permanently.` : `${what} is kept ${days} days.`;
}

function verdictView({ feature, scope }: Allowed, { key, plan }: Usage): TemplateResult {
  if (!key.scopes.includes(scope)) return html`<span class="badge bad">scope missing</span>`;
  if (feature !== undefined && !plan.features.includes(feature))
    return html`<span class="badge bad">not in the plan</span>`;
  return html`<span class="badge good">allowed</span>`;
}
