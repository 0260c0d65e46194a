// The deliveries of one webhook, with its URL: a test, attempts, the next retry, replays of one delivery and
// of a range of events.

import type { Delivery, DeliveryPage, Webhook } from "@annals/sdk";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { field, formSection, textIn } from "../parts/form.ts";
import { Pager } from "../parts/pager.ts";
import { rowButton, table } from "../parts/table.ts";
import { numberText, timeView } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";
import { Action, type Context, Loader, type Screen } from "../screen.ts";

/** The event of a delivery that a person asked for. */
const TEST = "webhook.test";

/** After a test or a replay: how often the list is loaded again, and how many times at most. */
const POLL_MS = 2_000;
const POLLS = 15;

export class WebhookScreen implements Screen {
  readonly #context: Context;
  readonly #id: string;
  readonly #webhook: Loader<Webhook | undefined>;
  readonly #deliveries: Pager<DeliveryPage>;
  readonly #action: Action;
  readonly #range: Action;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(context: Context, id: string) {
    const { api, update } = context;
    this.#context = context;
    this.#id = id;
    this.#action = new Action(update);
    this.#range = new Action(update);
    this.#webhook = new Loader(update, async (signal) => {
      const all = await api.webhooks.list({ signal }).toArray();
      return all.find((one) => one.id === id);
    });
    this.#deliveries = new Pager(update, (asked) => api.webhooks.deliveries(id, asked).page());
  }

  readonly stop = (): void => {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#webhook.stop();
    this.#deliveries.stop();
  };

  readonly view = (): TemplateResult =>
    html`<p><a href=${this.#context.href("webhooks")}>All webhooks</a></p>
      ${this.#nameView()}
      <p class="buttons">
        <button
          type="button"
          class="primary"
          ?disabled=${this.#action.isBusy}
          @click=${() => void this.#test()}
        >
          Send a test
        </button>
        <button type="button" @click=${() => void this.#deliveries.loadFirst()}>Refresh</button>
      </p>
      ${this.#action.view()}
      ${this.#deliveries.view(({ data }, buttons) => html`${this.#listView(data)} ${buttons}`)}
      ${this.#rangeView()}`;

  /** Whatever fails here fails for the deliveries, too, which say why. */
  #nameView(): TemplateResult | typeof nothing {
    const one = this.#webhook.value;
    if (one === undefined) return nothing;
    return html`<p>
      To <strong class="text">${visible(one.url)}</strong>
      ${one.active ? nothing : html`<span class="badge">disabled</span>`}
    </p>`;
  }

  #listView(data: readonly Delivery[]): TemplateResult {
    if (data.length === 0) {
      return html`<p class="empty">
        Nothing was delivered yet. Send a test: it appears here as soon as it was attempted.
      </p>`;
    }
    const columns = [
      { title: "Event", cell: ({ event }: Delivery) => event },
      { title: "Result", cell: resultView },
      { title: "Attempts", cell: ({ attempts }: Delivery) => attempts },
      {
        title: "Last attempt",
        cell: (one: Delivery) => timeView(one.delivered_at ?? one.last_attempt_at),
      },
      { title: "Next retry", cell: (one: Delivery) => timeView(one.next_retry_at) },
      { title: "Actions", cell: (one: Delivery) => this.#replayView(one) },
    ];
    return table("Deliveries", columns, data);
  }

  #replayView({ id, event }: Delivery): TemplateResult {
    // Nothing is kept of what a test was made for.
    if (event === TEST) return html`<span>–</span>`;
    const replay = () =>
      this.#queue(async () => {
        const { webhooks } = this.#context.api;
        return (await webhooks.replayDelivery(this.#id, id)).id;
      }, "The replay is queued.");
    return rowButton("Replay", `${event} ${id}`, replay);
  }

  #rangeView(): TemplateResult {
    const number = { type: "number", min: 1, isRequired: true } as const;
    return formSection({
      id: "replay-range",
      title: "Replay events",
      action: this.#range,
      fields: html`<p>
          Delivers event.created again for a range of sequence numbers, at most 1,000 events.
        </p>
        <div class="fields">
          ${field({ ...number, name: "from", label: "From number" })}
          ${field({ ...number, name: "to", label: "To number" })}
        </div>`,
      submit: "Replay events",
      kind: "",
      work: this.#replayRange,
    });
  }

  #test(): Promise<void> {
    const send = async () => {
      return (await this.#context.api.webhooks.test(this.#id)).id;
    };
    return this.#queue(send, "The test is queued.");
  }

  readonly #replayRange = async (form: FormData): Promise<void> => {
    const { deliveries } = await this.#context.api.webhooks.replayEvents(this.#id, {
      from_sequence_number: Number(textIn(form, "from")),
      to_sequence_number: Number(textIn(form, "to")),
    });
    this.#context.say(`${numberText(deliveries)} deliveries are queued.`);
  };

  /** Queues a delivery, then loads the list again until it is there. */
  #queue(send: () => Promise<string>, message: string): Promise<void> {
    return this.#action.run(async () => {
      const id = await send();
      this.#context.say(message);
      await this.#deliveries.loadFirst();
      this.#poll(id, POLLS);
    });
  }

  #poll(id: string, left: number): void {
    clearTimeout(this.#timer);
    const isThere = this.#deliveries.value?.data.some((one) => one.id === id) === true;
    if (isThere || left === 0 || this.#isStopped) return;
    this.#timer = setTimeout(() => {
      void this.#deliveries.load().then(() => this.#poll(id, left - 1));
    }, POLL_MS);
  }
}

function resultView({ failure, status, status_code }: Delivery): TemplateResult {
  const kind = status === "success" ? "good" : "bad";
  return html`<span class="badge ${kind}">${status}</span>
    ${status_code ?? `no response (${failure ?? "unknown"})`}`;
}
