// The log of evidence of the account: how far it covers the events, which witnesses have seen it, and what to
// keep of it. Shown by the verification screen, if the service keeps a log.

import type { LogStatus } from "@annals/sdk";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { saveFile } from "../check/take-file.ts";
import { field, numberIn, onSubmit } from "../parts/form.ts";
import { table } from "../parts/table.ts";
import { timeView } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";
import { Action, type Context, Loader } from "../screen.ts";
import { coveredView, loadLog } from "./log-view.ts";

type Witness = NonNullable<LogStatus["covered"]>["witnesses"][number];

const NUMBER = {
  name: "proven",
  label: "Number of the event",
  type: "number",
  min: 1,
  isRequired: true,
} as const;

export class EvidenceLog {
  readonly #context: Context;
  readonly #log: Loader<LogStatus | null>;
  readonly #action: Action;

  constructor(context: Context) {
    const { api, update } = context;
    this.#context = context;
    this.#action = new Action(update);
    this.#log = new Loader(update, (signal) => loadLog(api, signal));
  }

  readonly stop = (): void => this.#log.stop();

  /** Shown only if it loads: whatever fails here fails in a verification too, which says why. */
  view(): TemplateResult | typeof nothing {
    const log = this.#log.value;
    if (!log) return nothing;
    return html`<section aria-labelledby="evidence-log">
      <h2 id="evidence-log">Evidence log</h2>
      <p>${coveredView(log)}</p>
      ${log.covered ? this.#coveredView(log.covered.witnesses) : nothing}
      <p class="hint">
        The service says this. To check it, run <code>annals-verify watch</code> with the key of
        <code class="text">${visible(log.log_origin)}</code> that the operator publishes.
      </p>
    </section>`;
  }

  #coveredView(witnesses: readonly Witness[]): TemplateResult {
    const { isBusy } = this.#action;
    return html`${witnesses.length === 0 ? nothing : witnessesView(witnesses)}
      <p>
        Keep checkpoints elsewhere: with one, a later change of the events before it can be shown.
      </p>
      <p class="buttons">
        <button type="button" ?disabled=${isBusy} @click=${() => void this.#checkpoint()}>
          Download the checkpoint
        </button>
      </p>
      <details>
        <summary>Prove that the log has an event</summary>
        <form @submit=${onSubmit((form) => void this.#prove(form))}>
          ${field(NUMBER)}
          <p><button ?disabled=${isBusy}>Download the proof</button></p>
        </form>
      </details>
      ${this.#action.view()}`;
  }

  #checkpoint(): Promise<void> {
    const { api, say } = this.#context;
    return this.#action.run(async () => {
      saveFile(new Blob([await api.log.checkpoint()]), "checkpoint.txt");
      say("The checkpoint is downloaded.");
    });
  }

  #prove(form: FormData): Promise<void> {
    const { api, say } = this.#context;
    return this.#action.run(async () => {
      const number = numberIn(form, NUMBER.name) ?? 1;
      const proof = await api.log.inclusion(number);
      saveFile(new Blob([JSON.stringify(proof, undefined, 2)]), `inclusion-${number}.json`);
      say("The proof is downloaded.");
    });
  }
}

const witnessesView = (witnesses: readonly Witness[]): TemplateResult =>
  table<Witness>(
    "Witnesses",
    [
      { title: "Witness", cell: ({ name }) => html`<span class="text">${visible(name)}</span>` },
      { title: "Saw it", cell: ({ time }) => timeView(time) },
    ],
    witnesses,
  );
