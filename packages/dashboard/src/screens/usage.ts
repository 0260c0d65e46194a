// What this key may do, and what was used of the limits that the service shows. Each row is one cheap request
// that changes nothing: where the scope or the plan refuses it, the answer says so.

import { html, type TemplateResult } from "lit";
import { ApiError } from "../api.ts";
import { table } from "../parts/table.ts";
import { numberText, timeView } from "../parts/time.ts";
import { type Context, Loader, type Screen } from "../screen.ts";
import type { ApiKey, Export, Webhook } from "../shapes.ts";

const EXPORTS_COUNTED = 100;

type Verdict = "allowed" | "scope missing" | "not in the plan";

interface Allowed {
  readonly scope: string;
  readonly what: string;
  readonly verdict: Verdict;
}

interface Used {
  readonly what: string;
  readonly used: string;
}

interface Usage {
  readonly allowed: readonly Allowed[];
  readonly used: readonly Used[];
}

export class UsageScreen implements Screen {
  readonly #context: Context;
  readonly #usage: Loader<Usage>;

  constructor(context: Context) {
    this.#context = context;
    this.#usage = new Loader(context.update, (signal) => this.#load(signal));
  }

  readonly stop = (): void => this.#usage.stop();

  readonly view = (): TemplateResult =>
    html`${this.#rateLimitView()} ${this.#usage.view((usage) => usageView(usage))}
      <p class="buttons">
        <button type="button" @click=${() => void this.#usage.load()}>Refresh</button>
      </p>`;

  #rateLimitView(): TemplateResult {
    const { rateLimit } = this.#context.api;
    if (rateLimit === undefined) return html``;
    const { limit, remaining, seenAt } = rateLimit;
    const used = limit - remaining;
    return html`<section aria-labelledby="rate">
      <h2 id="rate">Requests of this key</h2>
      <p>
        <label for="requests"
          >${numberText(used)} of ${numberText(limit)} in the current window of 60 seconds</label
        >
        <meter id="requests" max=${limit} high=${limit * 0.8} .value=${used}></meter>
      </p>
      <p class="hint">
        The dashboard's own requests count too. Seen ${timeView(new Date(seenAt).toISOString())}.
      </p>
    </section>`;
  }

  async #load(signal: AbortSignal): Promise<Usage> {
    const { api } = this.#context;
    const allowed = [
      await ask("events:read", "Events and widget tokens", () =>
        api.page<{ sequence_number: number }>("/events", { limit: 1 }, signal),
      ),
      // Without an action nothing is stored.
      await ask("events:write", "Storing events", () =>
        api.send("POST", "/events", { body: {}, signal }),
      ),
      // No event has the number 0, so nothing is verified.
      await ask("verify", "Verification", () =>
        api.send("GET", "/verify", { query: { from_sequence: 0 }, signal }),
      ),
      await ask("export", "Exports", () =>
        api.page<Export>("/exports", { limit: EXPORTS_COUNTED }, signal),
      ),
      await ask("keys:manage", "API keys", () => api.page<ApiKey>("/api-keys", {}, signal)),
      await ask("keys:manage", "Webhooks", () => api.page<Webhook>("/webhooks", {}, signal)),
    ] as const;
    const [events, , , exports, keys, webhooks] = allowed;
    const counted = [
      {
        what: "Events in the chain",
        used: events.value && numberText(events.value.data[0]?.sequence_number ?? 0),
      },
      {
        what: "Exports kept",
        used:
          exports.value &&
          `${exports.value.data.length}${exports.value.nextCursor === undefined ? "" : " or more"}`,
      },
      { what: "Live API keys", used: keys.value && numberText(keys.value.data.length) },
      { what: "Webhooks", used: webhooks.value && numberText(webhooks.value.data.length) },
    ];
    return {
      allowed,
      used: counted.map(({ what, used }) => ({ what, used: used ?? "not shown to this key" })),
    };
  }
}

/** Errors other than those of the scope and the plan, and of what was asked, are the screen's. */
async function ask<T>(
  scope: string,
  what: string,
  request: () => Promise<T>,
): Promise<Allowed & { value?: T }> {
  try {
    return { scope, what, verdict: "allowed", value: await request() };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.type === "scope_error") return { scope, what, verdict: "scope missing" };
    if (error.type === "plan_feature_unavailable")
      return { scope, what, verdict: "not in the plan" };
    // Scope and plan are checked before what was asked.
    if (error.type === "validation_error") return { scope, what, verdict: "allowed" };
    throw error;
  }
}

function usageView({ allowed, used }: Usage): TemplateResult {
  return html`<section aria-labelledby="allowed">
      <h2 id="allowed">What this key may do</h2>
      ${table<Allowed>(
        "What this key may do",
        [
          { title: "Use", cell: ({ what }) => what },
          { title: "Scope", cell: ({ scope }) => html`<code>${scope}</code>` },
          { title: "State", cell: verdictView },
        ],
        allowed,
      )}
    </section>
    <section aria-labelledby="used">
      <h2 id="used">In use</h2>
      ${table<Used>(
        "In use",
        [
          { title: "What", cell: ({ what }) => what },
          { title: "Number", cell: (one) => one.used },
        ],
        used,
      )}
      <p class="hint">
        The limits of the plan are the operator's. Where one is reached, the service refuses the
        request and names the limit.
      </p>
    </section>`;
}

function verdictView({ verdict }: Allowed): TemplateResult {
  return html`<span class="badge ${verdict === "allowed" ? "good" : "bad"}">${verdict}</span>`;
}
