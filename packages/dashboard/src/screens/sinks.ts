// Sinks: where each sends, whether it does, how far it is behind and why; test, pause, replay, delete. A
// configuration has secrets, so sinks are created through the API. The state is asked for each sink on its
// own.

import type { Sink, SinkStatus } from "@annals/sdk";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { Dialog } from "../parts/dialog.ts";
import { field, textIn } from "../parts/form.ts";
import { table } from "../parts/table.ts";
import { numberText, timeView } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";
import { Action, type Context, Loader, type Screen } from "../screen.ts";

interface Shown {
  readonly sink: Sink;
  readonly status: SinkStatus;
}

const FROM = {
  name: "from",
  label: "From number",
  type: "number",
  min: 1,
  isRequired: true,
  hint: "The event that is sent next.",
} as const;

export class SinksScreen implements Screen {
  readonly #context: Context;
  readonly #sinks: Loader<readonly Shown[]>;
  readonly #change: Action;
  readonly #dialog: Dialog;

  constructor(context: Context) {
    const { api, update } = context;
    this.#context = context;
    this.#change = new Action(update);
    this.#dialog = new Dialog(update);
    this.#sinks = new Loader(update, async (signal) => {
      const sinks = await api.sinks.list({ signal }).toArray();
      return Promise.all(
        sinks.map(async (sink) => ({ sink, status: await api.sinks.status(sink.id, { signal }) })),
      );
    });
  }

  readonly stop = (): void => this.#sinks.stop();

  readonly view = (): TemplateResult =>
    html`<p>A sink sends the events of this account, in order, to a SIEM or a bucket.</p>
      <p class="buttons">
        <button type="button" @click=${() => void this.#sinks.load()}>Refresh</button>
      </p>
      ${this.#change.view()} ${this.#sinks.view((all) => this.#listView(all))}
      ${this.#dialog.view()}`;

  #listView(sinks: readonly Shown[]): TemplateResult {
    if (sinks.length === 0)
      return html`<p class="empty">No sinks yet. Create one with POST /v1/sinks.</p>`;
    return table<Shown>(
      "Sinks",
      [
        { title: "Type", cell: ({ sink }) => `${sink.type}, ${sink.format}` },
        {
          title: "Receiver",
          cell: ({ sink }) => html`<span class="text">${visible(receiverOf(sink))}</span>`,
        },
        { title: "State", cell: stateView },
        { title: "Behind", cell: lagView },
        { title: "Last sent", cell: ({ status }) => timeView(status.last_delivered_at) },
        { title: "Actions", cell: (shown) => this.#actionsView(shown) },
      ],
      sinks,
    );
  }

  #actionsView({ sink, status }: Shown): TemplateResult {
    const { rejected } = status;
    const button = (text: string, act: () => void, kind = "") =>
      html`<button
        type="button"
        class=${kind}
        ?disabled=${this.#change.isBusy}
        aria-label=${`${text} ${receiverOf(sink)}`}
        @click=${act}
      >
        ${text}
      </button>`;
    return html`<span class="buttons">
      ${button("Test", () => void this.#test(sink))}
      ${button(sink.active ? "Pause" : "Activate", () => void this.#switch(sink))}
      ${button("Replay", () => this.#replay(sink))}
      ${rejected === null ? nothing : button("Skip event", () => this.#skip(sink, rejected))}
      ${button("Delete", () => this.#delete(sink), "danger")}
    </span>`;
  }

  #test({ id }: Sink): Promise<void> {
    const { api, say } = this.#context;
    return this.#change.run(async () => {
      const { error, success } = await api.sinks.test(id);
      if (!success) throw new Error(error ?? "The receiver did not accept the test.");
      say("The receiver has accepted the test.");
    });
  }

  #switch({ id, active }: Sink): Promise<void> {
    const { api, say } = this.#context;
    return this.#change.run(async () => {
      await api.sinks.update(id, { active: !active });
      await this.#sinks.load();
      say(active ? "The sink is paused." : "The sink is active.");
    });
  }

  #replay(sink: Sink): void {
    const { api, say } = this.#context;
    this.#dialog.ask({
      title: "Replay events?",
      content: html`<p class="text">${visible(receiverOf(sink))}</p>
        <p>It is sent every event from this number on again.</p>
        ${field(FROM)}`,
      confirm: "Replay events",
      work: async (form) => {
        await api.sinks.replay(sink.id, { from_sequence_number: Number(textIn(form, "from")) });
        await this.#sinks.load();
        say("The events are sent again.");
      },
    });
  }

  #skip(
    sink: Sink,
    { sequence_number: number, reason }: NonNullable<Shown["status"]["rejected"]>,
  ): void {
    const { api, say } = this.#context;
    this.#dialog.ask({
      title: `Skip event ${number}?`,
      content: html`<p class="text">${visible(receiverOf(sink))}</p>
        <p class="text">${visible(reason)}</p>
        <p>The receiver never gets this event, and the chain records that.</p>`,
      confirm: "Skip event",
      isDangerous: true,
      work: async () => {
        await api.sinks.skip(sink.id, { sequence_number: number });
        await this.#sinks.load();
        say("The event is skipped.");
      },
    });
  }

  #delete(sink: Sink): void {
    const { api, say } = this.#context;
    this.#dialog.ask({
      title: "Delete the sink?",
      content: html`<p class="text">${visible(receiverOf(sink))}</p>
        <p>Its configuration is deleted. This cannot be undone.</p>`,
      confirm: "Delete sink",
      isDangerous: true,
      work: async () => {
        await api.sinks.delete(sink.id);
        await this.#sinks.load();
        say("The sink is deleted.");
      },
    });
  }
}

function receiverOf({ config }: Sink): string {
  if ("host" in config) return `${config.host}:${config.port}`;
  return "bucket" in config ? `${config.bucket}/${config.prefix}` : config.url;
}

function stateView({ status }: Shown): TemplateResult {
  const kind = status.status === "active" ? "good" : status.status === "failing" ? "bad" : "";
  return html`<span class="badge ${kind}">${status.status}</span>
    ${status.last_error === null ? nothing : html`<p class="text">${visible(status.last_error)}</p>`}
    ${status.rejected === null ? nothing : html`<p>The receiver refuses event ${status.rejected.sequence_number}.</p>`}
    ${
      status.lost.length === 0
        ? nothing
        : html`<p>
            ${numberText(lostOf(status))} events are never sent: retention has deleted them, or they
            were skipped.
          </p>`
    }`;
}

function lagView({ status }: Shown): TemplateResult {
  if (status.lag_events === 0) return html`<span>–</span>`;
  return html`${numberText(status.lag_events)} events, ${numberText(Math.round(status.lag_seconds))}
  s`;
}

function lostOf({ lost }: SinkStatus): number {
  return lost.reduce(
    (sum, { from_sequence_number: from, to_sequence_number: to }) => sum + to - from + 1,
    0,
  );
}
