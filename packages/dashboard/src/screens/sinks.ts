// Sinks: create and test, where each sends, whether it does, how far it is behind and why; change, pause,
// replay, delete. The state is asked for each sink on its own.

import type { Sink, SinkTest } from "@annals/sdk";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { Dialog } from "../parts/dialog.ts";
import { field, formSection, textIn } from "../parts/form.ts";
import { DANGER, rowButton, table } from "../parts/table.ts";
import { timeView } from "../parts/time.ts";
import { textView, visible } from "../parts/visible.ts";
import { Action, type Context, Loader, type Screen } from "../screen.ts";
import { FIRST_TYPE, sinkChangeIn, sinkFields, sinkIn } from "./sink-fields.ts";
import {
  lagView,
  loadSinks,
  receiverOf,
  type Shown,
  stateView,
  type Trial,
  trialView,
} from "./sink-views.ts";

/** After a sink is created: how often its state is asked for, and how many times at most. */
const POLL_MS = 2_000;
const POLLS = 30;

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
  readonly #creation: Action;
  readonly #change: Action;
  readonly #dialog: Dialog;
  #type = FIRST_TYPE;
  /** How many sinks were created: each had a form of its own. */
  #created = 0;
  /** The sink that the form changes; undefined while it creates one. */
  #changed: Sink | undefined;
  #trial: Trial | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(context: Context) {
    const { api, update } = context;
    this.#context = context;
    this.#creation = new Action(update);
    this.#change = new Action(update);
    this.#dialog = new Dialog(update);
    this.#sinks = new Loader(update, (signal) => loadSinks(api, signal));
  }

  readonly stop = (): void => {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#sinks.stop();
  };

  readonly view = (): TemplateResult =>
    html`<p>A sink sends the events of this account, in order, to a SIEM or a bucket.</p>
      <p class="buttons">
        <button type="button" @click=${() => void this.#sinks.load()}>Refresh</button>
      </p>
      ${this.#change.view()} ${this.#sinks.view((all) => this.#listView(all))}
      ${this.#dialog.view()}`;

  #listView(sinks: readonly Shown[]): TemplateResult {
    const list =
      sinks.length === 0
        ? html`<p class="empty">No sinks yet. Create one below: it is tested at once.</p>`
        : this.#tableView(sinks);
    const trial = this.#trial && trialView(this.#trial, sinks);
    return html`${list}${this.#formView(trial)}`;
  }

  #formView(trial: TemplateResult | undefined): TemplateResult {
    const sink = this.#changed;
    const onType = (type: Sink["type"]) => {
      this.#type = type;
      this.#context.update();
    };
    const type = sink?.type ?? this.#type;
    return html`${formSection({
        id: "sink",
        title: sink
          ? html`Change the sink to <span class="text">${visible(receiverOf(sink))}</span>`
          : "Create a sink",
        action: this.#creation,
        fields: sinkFields({ type, number: this.#created, sink, onType }),
        submit: sink ? "Save and test sink" : "Create and test sink",
        onCancel: sink && (() => this.#edit(undefined)),
        work: (form) => (sink ? this.#save(form, sink) : this.#create(form)),
      })}
      <div id="trial" role="status">${trial ?? nothing}</div>`;
  }

  /** Fills the form with a sink, or empties it. The focus follows. */
  #edit(sink: Sink | undefined): void {
    this.#changed = sink;
    this.#trial = undefined;
    this.#creation.error = undefined;
    this.#context.update();
    document.querySelector<HTMLElement>(sink ? "#sink" : "h1")?.focus();
  }

  async #save(form: FormData, sink: Sink): Promise<void> {
    const { api, say } = this.#context;
    await api.sinks.update(sink.id, sinkChangeIn(form, sink));
    this.#edit(undefined);
    say("The sink is changed.");
    await this.#try(sink.id, "changed");
  }

  async #create(form: FormData): Promise<void> {
    const { api, say } = this.#context;
    const { id } = await api.sinks.create(sinkIn(form, this.#type));
    this.#created += 1;
    say("The sink is created.");
    await this.#try(id, "created");
  }

  /** Tests the receiver, then follows what it is sent. */
  async #try(id: string, what: Trial["what"]): Promise<void> {
    this.#trial = { id, what };
    await this.#sinks.load();
    const test = await this.#context.api.sinks.test(id).catch(notTested);
    this.#trial = { id, what, test };
    this.#context.update();
    document.getElementById("trial")?.scrollIntoView({ block: "nearest" });
    this.#poll(id, POLLS);
  }

  /** Asks for the state of the new sink until it has sent all there is: one request each time. */
  #poll(id: string, left: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#ask(id, left), POLL_MS);
  }

  async #ask(id: string, left: number): Promise<void> {
    const status = await this.#context.api.sinks.status(id).catch(() => undefined);
    if (this.#isStopped || this.#trial?.id !== id) return;
    const all = this.#sinks.value ?? [];
    if (status)
      this.#sinks.value = all.map((one) => (one.sink.id === id ? { ...one, status } : one));
    this.#context.update();
    if (left > 0 && (status?.lag_events ?? 1) > 0) this.#poll(id, left - 1);
  }

  #tableView(sinks: readonly Shown[]): TemplateResult {
    return table<Shown>(
      "Sinks",
      [
        { title: "Type", cell: ({ sink }) => `${sink.type}, ${sink.format}` },
        {
          title: "Receiver",
          cell: ({ sink }) => textView(receiverOf(sink)),
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
    const { isBusy } = this.#change;
    const button = (text: string, act: () => unknown, look = {}) =>
      rowButton(text, receiverOf(sink), act, { isBusy, ...look });
    return html`<span class="buttons">
      ${button("Test", () => this.#test(sink))} ${button("Change", () => this.#edit(sink))}
      ${button(sink.active ? "Pause" : "Activate", () => this.#switch(sink))}
      ${button("Replay", () => this.#replay(sink))}
      ${rejected === null ? nothing : button("Skip event", () => this.#skip(sink, rejected))}
      ${button("Delete", () => this.#delete(sink), DANGER)}
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

/** The sink is there, whatever kept its test from being made. */
function notTested(error: unknown): SinkTest {
  return { success: false, error: error instanceof Error ? error.message : String(error) };
}
