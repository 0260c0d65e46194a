// Erasures: ask for one, how far each is, and cancel one that has not begun. What they erase cannot be
// brought back, so it is asked first.

import type { Erasure, ErasurePage, NewErasure } from "@annals/sdk";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { Dialog } from "../parts/dialog.ts";
import { choices, chosenIn, field, formSection, select, textIn } from "../parts/form.ts";
import { Pager } from "../parts/pager.ts";
import { rowButton, table } from "../parts/table.ts";
import { countText, timeView } from "../parts/time.ts";
import { textView, visible } from "../parts/visible.ts";
import { Action, type Context, type Screen } from "../screen.ts";

const KINDS = {
  actor_id: "events of the actor",
  target_id: "events about the target",
  event_id: "one event",
};

const PARTS = ["actor", "target", "context", "diff", "metadata"] as const;

const VALUE = { name: "value", label: "Id", isRequired: true, maxLength: 255 };

/** Parameter of the address with the id of the event that is to be erased. */
const EVENT = "event";

const REFERENCE = {
  name: "reference",
  label: "Reference",
  maxLength: 255,
  hint: "Such as the number of a case. It stays in the chain, so it must not identify a person",
};

const KIND_OF_STATUS = { pending: "", running: "", completed: "good", cancelled: "" };

export class ErasuresScreen implements Screen {
  readonly #context: Context;
  readonly #erasures: Pager<ErasurePage>;
  readonly #creation: Action;
  readonly #dialog: Dialog;

  constructor(context: Context) {
    const { api, update } = context;
    this.#context = context;
    this.#creation = new Action(update);
    this.#dialog = new Dialog(update);
    this.#erasures = new Pager(update, (asked) => api.erasures.list(asked).page());
  }

  readonly stop = (): void => this.#erasures.stop();

  readonly view = (): TemplateResult =>
    html`<p>
        An erasure empties parts of stored events, such as the data of a person. The events stay in
        the chain, with their hashes, and every proof stays valid.
      </p>
      <p class="buttons">
        <button type="button" @click=${() => void this.#erasures.load()}>Refresh</button>
      </p>
      ${this.#erasures.view(({ data }, buttons) => html`${this.#listView(data)} ${buttons} ${this.#formView()}`)}
      ${this.#dialog.view()}`;

  #listView(data: readonly Erasure[]): TemplateResult {
    return data.length === 0
      ? html`<p class="empty">No erasures yet. Ask for one below.</p>`
      : table<Erasure>(
          "Erasures",
          [
            { title: "Requested", cell: (one) => timeView(one.created_at) },
            { title: "Selects", cell: selectorView },
            { title: "Parts", cell: ({ parts }) => parts.join(", ") },
            {
              title: "Reference",
              cell: ({ reference }) => textView(reference ?? "–"),
            },
            { title: "State", cell: stateView },
            { title: "Actions", cell: (one) => this.#cancelView(one) },
          ],
          data,
        );
  }

  #cancelView(one: Erasure): TemplateResult {
    if (one.status !== "pending") return html`<span>–</span>`;
    return rowButton("Cancel", one.id, () => this.#cancel(one));
  }

  #formView(): TemplateResult {
    const event = this.#context.query.get(EVENT) ?? undefined;
    return formSection({
      id: "new-erasure",
      title: "Ask for an erasure",
      action: this.#creation,
      fields: html`<div class="fields">
          ${select({ name: "kind", label: "Select", values: KINDS, chosen: event && "event_id" })}
          ${field({ ...VALUE, value: event })} ${field(REFERENCE)}
        </div>
        ${choices({ name: "parts", label: "Parts to erase", values: PARTS })}`,
      submit: "Ask for the erasure",
      kind: "danger",
      work: this.#ask,
    });
  }

  readonly #ask = async (form: FormData, element: HTMLFormElement): Promise<void> => {
    const [kind, value] = [textIn(form, "kind") as keyof typeof KINDS, textIn(form, "value")];
    const [parts, reference] = [chosenIn(form, "parts", PARTS), textIn(form, "reference")];
    if (parts.length === 0) throw new Error("Choose at least one part.");
    const body = { [kind]: value, parts, ...(reference !== "" && { reference }) } as NewErasure;
    this.#confirm(body, `${KINDS[kind]} ${value}`, element);
  };

  #confirm(body: NewErasure, what: string, element: HTMLFormElement): void {
    const { api, say } = this.#context;
    this.#dialog.ask({
      title: "Erase these parts?",
      content: html`<p>
          ${body.parts.join(", ")} of the <span class="text">${visible(what)}</span>, as far as they
          are stored now.
        </p>
        <p>
          The erasure waits first, by default 24 hours: until it begins it can be cancelled. What it
          has erased cannot be brought back.
        </p>`,
      confirm: "Erase",
      isDangerous: true,
      work: async () => {
        await api.erasures.create(body);
        element.reset();
        await this.#erasures.loadFirst();
        say("The erasure is requested.");
      },
    });
  }

  #cancel({ id }: Erasure): void {
    const { api, say } = this.#context;
    this.#dialog.ask({
      title: "Cancel the erasure?",
      content: html`<p><code class="breaks">${id}</code></p>
        <p>Nothing of it was erased yet.</p>`,
      confirm: "Cancel the erasure",
      work: async () => {
        await api.erasures.cancel(id);
        await this.#erasures.load();
        say("The erasure is cancelled.");
      },
    });
  }
}

/** The service forgets what an erasure selected when it has ended. */
function selectorView(one: Erasure): TemplateResult {
  const [kind, value] =
    Object.keys(KINDS)
      .map((name) => [name as keyof typeof KINDS, one[name as keyof typeof KINDS]] as const)
      .find(([, given]) => given !== null) ?? [];
  if (kind === undefined) return html`<span>–</span>`;
  return html`<span class="text">${KINDS[kind]} ${visible(value ?? "")}</span>`;
}

function stateView({ begins_at, ended_at, erased, held, status }: Erasure): TemplateResult {
  const isBegun = status === "running" || status === "completed";
  return html`<span class="badge ${KIND_OF_STATUS[status]}">${status}</span>
    ${begins_at === null ? nothing : html`<p>It begins ${timeView(begins_at)} or later</p>`}
    ${isBegun ? html`<p>Erased in ${countText(erased, "event")}${held === 0 ? "" : `, kept by holds in ${held}`}</p>` : nothing}
    ${ended_at === null ? nothing : html`<p>Ended ${timeView(ended_at)}</p>`}`;
}
