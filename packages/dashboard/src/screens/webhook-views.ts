// Webhooks with what became of their newest delivery, and what is shown of it. Used by the screen of webhooks
// and by the overview.

import type { Delivery, Webhook } from "@annals/sdk";
import type { Routes } from "@annals/sdk/browser";
import { html, type TemplateResult, nothing } from "lit/html.js";
import { membersIn } from "../parts/filter-fields.ts";
import { numberText, timeView } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";

/** For how many webhooks the newest delivery is asked for: each is a request. */
const ASKED = 10;

export interface Shown {
  readonly webhook: Webhook;
  /** The newest delivery; null if there is none, undefined if it is not known. */
  readonly newest: Delivery | null | undefined;
}

export async function loadWebhooks(api: Routes, signal: AbortSignal): Promise<readonly Shown[]> {
  const webhooks = await api.webhooks.list({ signal }).toArray();
  return Promise.all(
    webhooks.map(async (webhook, at) => {
      const isAsked = at < ASKED && webhook.active;
      const newest = () => api.webhooks.deliveries(webhook.id, { limit: 1, signal }).page();
      const page = isAsked ? await newest() : undefined;
      return { webhook, newest: page && (page.data[0] ?? null) };
    }),
  );
}

export function eventsView({ events, filter = {} }: Webhook): TemplateResult {
  const members = membersIn(filter).map(
    ([member, values]) =>
      html`<p class="text">
        ${member}: ${values.length === 0 ? "none" : visible(values.join(", "))}
      </p>`,
  );
  return html`${events.join(", ")}${members}`;
}

export function stateView({ webhook, newest }: Shown): TemplateResult {
  const { active, disabled_reason, disabled_at, dropped } = webhook;
  const disabled =
    disabled_reason === undefined
      ? html`<span class="badge">disabled</span>`
      : html`<span class="badge bad">disabled: ${disabled_reason}</span> since
          ${timeView(disabled_at)}`;
  return html`${active ? deliveryView(newest) : disabled}
  ${dropped ? html`<p>Dropped deliveries: ${numberText(dropped.count)}, the last ${timeView(dropped.last_at)}</p>` : nothing}`;
}

/** What became of the newest delivery. */
function deliveryView(newest: Shown["newest"]): TemplateResult {
  if (newest === undefined) return html`<span class="badge">active</span>`;
  if (newest === null)
    return html`<span class="badge">active</span>
      <p>Nothing was delivered yet.</p>`;
  if (newest.status === "success")
    return html`<span class="badge good">active</span>
      <p>Delivered ${timeView(newest.delivered_at)}</p>`;
  const { failure, status_code, last_attempt_at } = newest;
  return html`<span class="badge bad">failing</span>
    <p>
      ${status_code === null ? `No response (${failure ?? "unknown"})` : `Status ${status_code}`},
      ${timeView(last_attempt_at)}
    </p>`;
}
