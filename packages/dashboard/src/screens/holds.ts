// Holds: place one on a range of events or on those of an actor, and release it. What is held is neither
// erased nor deleted by retention.

import type { Hold, HoldPage } from "@annals/sdk";
import { html, type TemplateResult } from "lit/html.js";
import { Dialog } from "../parts/dialog.ts";
import { field, formSection, numberIn, textIn } from "../parts/form.ts";
import { Pager } from "../parts/pager.ts";
import { DANGER, rowButton, table } from "../parts/table.ts";
import { numberText } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";
import { Action, type Context, type Screen } from "../screen.ts";

const FIELDS = [
  {
    name: "first",
    label: "From number",
    type: "number",
    min: 1,
    value: "1",
    isRequired: true,
    hint: "The first event that is held. It may be one that is not stored yet",
  },
  {
    name: "last",
    label: "To number",
    type: "number",
    min: 1,
    hint: "Default: no end, so events that are stored later are held too",
  },
  { name: "actor", label: "Actor id", maxLength: 255, hint: "Default: the events of all actors" },
] as const;

export class HoldsScreen implements Screen {
  readonly #context: Context;
  readonly #holds: Pager<HoldPage>;
  readonly #creation: Action;
  readonly #dialog: Dialog;

  constructor(context: Context) {
    const { api, update } = context;
    this.#context = context;
    this.#creation = new Action(update);
    this.#dialog = new Dialog(update);
    this.#holds = new Pager(update, (asked) => api.holds.list(asked).page());
  }

  readonly stop = (): void => this.#holds.stop();

  readonly view = (): TemplateResult =>
    html`<p>
        A hold keeps events: while it is active, they are neither erased nor deleted by
        <a href=${this.#context.href("retention")}>retention</a>. The chain records each hold and
        its release.
      </p>
      ${this.#holds.view(({ data }, buttons) => html`${this.#listView(data)} ${buttons} ${this.#formView()}`)}
      ${this.#dialog.view()}`;

  #listView(data: readonly Hold[]): TemplateResult {
    return data.length === 0
      ? html`<p class="empty">No active holds. Place one below, such as for a legal case.</p>`
      : table<Hold>(
          "Holds",
          [
            { title: "Events", cell: (one) => rangeText(one) },
            {
              title: "Actor",
              cell: ({ actor_id: actor }) =>
                html`<span class="text">${actor === null ? "all" : visible(actor)}</span>`,
            },
            { title: "Placed by", cell: ({ owner }) => `the ${owner}` },
            {
              title: "Recorded by",
              cell: ({ placed_by: number }) => `event ${numberText(number)}`,
            },
            { title: "Id", cell: ({ id }) => html`<code class="breaks">${id}</code>` },
            { title: "Actions", cell: (one) => this.#releaseView(one) },
          ],
          data,
        );
  }

  #releaseView(one: Hold): TemplateResult {
    if (one.owner === "operator") return html`<span>only the operator releases it</span>`;
    return rowButton("Release", one.id, () => this.#release(one), DANGER);
  }

  #formView(): TemplateResult {
    return formSection({
      id: "place-hold",
      title: "Place a hold",
      action: this.#creation,
      fields: html`<div class="fields">
        ${FIELDS.map((one) => field({ ...one, ...this.#given(one.name) }))}
      </div>`,
      submit: "Place hold",
      work: this.#place,
    });
  }

  /** What the address fills in, such as the number of an event. */
  #given(name: string): { readonly value?: string } {
    const value = this.#context.query.get(name);
    return value === null ? {} : { value };
  }

  readonly #place = async (form: FormData): Promise<void> => {
    const { api, say } = this.#context;
    const [to, actor] = [numberIn(form, "last"), textIn(form, "actor")];
    await api.holds.place({
      from_sequence: Number(textIn(form, "first")),
      ...(to !== undefined && { to_sequence: to }),
      ...(actor !== "" && { actor_id: actor }),
    });
    say("The hold is placed.");
    await this.#holds.loadFirst();
  };

  #release(one: Hold): void {
    const { api, say } = this.#context;
    this.#dialog.ask({
      title: "Release the hold?",
      content: html`<p>${rangeText(one)} <code class="breaks">${one.id}</code></p>
        <p>From now on, erasures and retention reach these events again.</p>`,
      confirm: "Release hold",
      isDangerous: true,
      work: async () => {
        await api.holds.release(one.id);
        await this.#holds.load();
        say("The hold is released.");
      },
    });
  }
}

function rangeText({ from_sequence: from, to_sequence: to }: Hold): string {
  return to === null ? `${numberText(from)} and later` : `${numberText(from)} to ${numberText(to)}`;
}
