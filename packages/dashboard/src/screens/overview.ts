// Overview: what happened in the last 30 days, whether events arrive, how far the chain is covered, and what
// needs somebody, from the routes of the other screens. Each card loads by itself. One that the key or the
// role may not see, or that the release does not have, is left out.

import { AnnalsError, type Event, type LogStatus, type Usage } from "@annals/sdk";
import type { Routes } from "@annals/sdk/browser";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { countText, numberText, timeView } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";
import { type Context, Loader, type Screen } from "../screen.ts";
import { daysView, loadDays, loadTop, topView } from "./activity.ts";
import { coveredView, loadLog } from "./log-view.ts";
import { loadSinks, receiverOf, type Shown as ShownSink, stateView } from "./sink-views.ts";
import {
  loadWebhooks,
  type Shown as ShownWebhook,
  stateView as webhookStateView,
} from "./webhook-views.ts";

/** How many of the newest events are shown. */
const EVENTS = 5;

/** Share of a limit from which it needs somebody. */
const HIGH = 0.8;

/** Limits, with what they count. */
const LIMITS = {
  month_events: "Events of this month",
  events: "Stored events",
  api_keys: "API keys",
  widget_tokens: "Widget tokens",
  webhooks: "Webhooks",
  sinks: "Sinks",
  exports: "Exports",
} as const;

interface Card {
  readonly title: string;
  /** Screen that shows more. */
  readonly path: string;
  readonly loader: Loader<unknown>;
  readonly view: () => TemplateResult;
}

export class OverviewScreen implements Screen {
  readonly #context: Context;
  readonly #cards: readonly Card[];

  constructor(context: Context) {
    const { api, href, may, now, update, zone } = context;
    const mayListFields = may("keys:manage");
    this.#context = context;
    const card = <T>(
      [title, path]: readonly [string, string],
      load: (api: Routes, signal: AbortSignal) => Promise<T>,
      view: (value: T) => TemplateResult,
    ): Card => {
      const loader = new Loader(update, (signal) => load(api, signal));
      return { title, path, loader, view: () => loader.view(view) };
    };
    this.#cards = [
      card(
        ["Events a day", "events"],
        (client, signal) => loadDays(client, { now: now(), zone: zone() }, signal),
        (days) => daysView(days, href),
      ),
      card(
        ["Most frequent", "events"],
        (client, signal) => loadTop(client, { now: now(), zone: zone(), mayListFields }, signal),
        (tops) => topView(tops, href),
      ),
      card(["Newest events", "events"], newestEvents, eventsView),
      card(["Evidence", "verification"], loadLog, evidenceView),
      card(["Sinks", "sinks"], loadSinks, sinksView),
      card(["Webhooks", "webhooks"], loadWebhooks, webhooksView),
      card(["Limits", "usage"], (client, signal) => client.usage.get({ signal }), limitsView),
    ];
  }

  readonly stop = (): void => {
    for (const { loader } of this.#cards) loader.stop();
  };

  readonly view = (): TemplateResult =>
    html`<div class="cards">
        ${this.#cards.map((one) => (isAllowed(one.loader.error) ? this.#cardView(one) : nothing))}
      </div>
      <p class="buttons"><button type="button" @click=${this.#refresh}>Refresh</button></p>`;

  #cardView({ title, path, view }: Card): TemplateResult {
    const id = `card-${title.toLowerCase().replaceAll(" ", "-")}`;
    return html`<section class="card" aria-labelledby=${id}>
      <h2 id=${id}><a href=${this.#context.href(path)}>${title}</a></h2>
      ${view()}
    </section>`;
  }

  readonly #refresh = (): void => {
    for (const { loader } of this.#cards) void loader.load();
  };
}

/** Whether the scopes, the plan and the release of the service allow it, as far as is known. */
const isAllowed = (error: unknown): boolean =>
  !(["scope_error", "plan_feature_unavailable", "not_found"] as const).some((type) =>
    AnnalsError.is(error, type),
  );

async function newestEvents(api: Routes, signal: AbortSignal): Promise<readonly Event[]> {
  return (await api.events.list({ limit: EVENTS }, { signal }).page()).data;
}

function eventsView(events: readonly Event[]): TemplateResult {
  if (events.length === 0)
    return html`<p>
      There are no events yet. Store the first one with <code>POST /v1/events</code>.
    </p>`;
  return html`<ul class="plain">
    ${events.map(
      ({ action, actor, occurred_at: at }) =>
        html`<li>
          ${timeView(at)} <strong class="text">${visible(action)}</strong>
          <span class="text">${actor?.id === undefined ? nothing : visible(actor.id)}</span>
        </li>`,
    )}
  </ul>`;
}

const evidenceView = (log: LogStatus | null): TemplateResult =>
  html`<p>
    ${log === null ? "This service keeps no log of evidence: the chain can be verified." : coveredView(log)}
  </p>`;

/** What does not work is named, and the rest is counted. */
function sinksView(sinks: readonly ShownSink[]): TemplateResult {
  const failing = sinks.filter(({ status }) => status.status === "failing" || status.rejected);
  return html`<p>${worksText(sinks.length, failing.length, "sink")}</p>
    <ul class="plain">
      ${failing.map((one) => html`<li><span class="text">${visible(receiverOf(one.sink))}</span> ${stateView(one)}</li>`)}
    </ul>`;
}

function webhooksView(webhooks: readonly ShownWebhook[]): TemplateResult {
  const failing = webhooks.filter(
    ({ webhook, newest }) =>
      webhook.disabled_reason !== undefined || (webhook.active && newest?.status === "failed"),
  );
  return html`<p>${worksText(webhooks.length, failing.length, "webhook")}</p>
    <ul class="plain">
      ${failing.map((one) => html`<li><span class="text">${visible(one.webhook.url)}</span> ${webhookStateView(one)}</li>`)}
    </ul>`;
}

function worksText(count: number, failing: number, what: string): string {
  if (count === 0) return `There is no ${what} yet.`;
  if (failing === 0) return `${countText(count, what)}, none is failing.`;
  return `Failing: ${numberText(failing)} of ${countText(count, what)}.`;
}

function limitsView(usage: Usage): TemplateResult {
  const { month_events: month, plan } = usage;
  const high = (Object.keys(LIMITS) as (keyof typeof LIMITS)[]).filter((name) => {
    const use = usage[name];
    return use?.limit != null && use.used >= use.limit * HIGH;
  });
  const used = `${numberText(month.used)}${month.limit === null ? "" : ` of ${numberText(month.limit)}`}`;
  return html`<p>
      Plan <strong class="text">${visible(plan.name)}</strong>. Events of ${month.month}: ${used}.
    </p>
    <ul class="plain">
      ${high.map((name) => html`<li><span class="badge bad">${levelOf(usage[name])}</span> ${LIMITS[name]}</li>`)}
    </ul>
    ${high.length === 0 ? html`<p>No limit is near.</p>` : nothing}`;
}

const levelOf = (use: { readonly used: number; readonly limit: number | null } | null): string =>
  use !== null && use.limit !== null && use.used >= use.limit ? "reached" : "high";
