// The columns of the table of events: which ones, and in which order. A person chooses them by boxes and
// buttons, and the browser remembers the choice. Used by the events screen, which has them in its address.

import {
  columnsIn,
  columnsOf,
  DEFAULT_COLUMNS,
  isColumn,
  MAX_COLUMN_LENGTH,
  MAX_COLUMNS,
} from "@annals/query";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { field, onSubmit, textIn } from "../parts/form.ts";
import { type Context, Loader } from "../screen.ts";

/** Parameter of the address with the columns, and spaces between them. */
export const COLUMNS = "columns";

const KEY = "annals.columns";
const PATH = "column-path";

/** The columns that are always offered, with what they are called. */
const LABELS: Readonly<Record<string, string>> = {
  occurred_at: "Time",
  action: "Action",
  outcome: "Outcome",
  actor: "Actor",
  target: "Target",
  "context.ip": "From",
  received_at: "Received",
  created_at: "Recorded",
  sequence_number: "Sequence number",
  id: "ID",
};

const labelOf = (name: string): string => LABELS[name] ?? name;

/** A path that is an array has a name that no column can have. */
export const pathsOf = (
  found: readonly { readonly path: string | readonly string[] }[],
): readonly string[] =>
  found
    .map(({ path }) => path)
    .filter((path) => typeof path === "string" && isColumn(path)) as string[];

interface Options {
  /** The columns of the address; none if it has none. */
  readonly chosen: () => readonly string[];
  readonly choose: (columns: readonly string[]) => void;
  /** The paths of declared fields. */
  readonly declared: () => readonly string[];
}

export class Columns {
  readonly #context: Context;
  readonly #options: Options;
  #paths: Loader<readonly string[]> | undefined;
  #isOpen = false;

  constructor(context: Context, options: Options) {
    this.#context = context;
    this.#options = options;
  }

  stop(): void {
    this.#paths?.stop();
  }

  /** Those of the address, else those that were chosen last in this browser. */
  get shown(): readonly string[] {
    const chosen = this.#options.chosen();
    return chosen.length > 0 ? chosen : columnsOf(this.#kept());
  }

  get isDefault(): boolean {
    return this.shown.join(" ") === DEFAULT_COLUMNS.join(" ");
  }

  button(): TemplateResult {
    return html`<button
      type="button"
      id="columns-button"
      aria-expanded=${this.#isOpen}
      aria-controls="columns"
      @click=${() => this.#open(!this.#isOpen)}
    >
      Columns
    </button>`;
  }

  panel(): TemplateResult | typeof nothing {
    if (!this.#isOpen) return nothing;
    const { shown } = this;
    const offered = [...Object.keys(LABELS), ...this.#options.declared()];
    const others = [...new Set(offered)].filter((name) => !shown.includes(name));
    return html`<section
      id="columns"
      aria-label="Columns of the table"
      @keydown=${(pressed: KeyboardEvent) => pressed.key === "Escape" && this.#open(false)}
    >
      <ul class="plain columns" aria-label="Shown, in this order">
        ${shown.map((name, place) => this.#shownView(name, place))}
      </ul>
      <ul class="plain columns" aria-label="Further columns">
        ${others.map((name) => this.#otherView(name))}
      </ul>
      ${this.#pathForm()}
      <p class="buttons">
        <button type="button" ?disabled=${this.isDefault} @click=${() => this.#set([])}>
          Default columns
        </button>
        <button type="button" @click=${() => this.#open(false)}>Close</button>
      </p>
    </section>`;
  }

  #shownView(name: string, place: number): TemplateResult {
    const { shown } = this;
    const move = (by: number, sign: string, way: string) =>
      html`<button
        type="button"
        data-column=${name}
        data-way=${way}
        aria-label=${`Move ${labelOf(name)} ${way}`}
        ?disabled=${shown[place + by] === undefined}
        @click=${() => this.#move(name, by, way)}
      >
        ${sign}
      </button>`;
    return html`<li>
      ${this.#box(name, true, shown.length === 1)} ${move(-1, "↑", "up")} ${move(1, "↓", "down")}
    </li>`;
  }

  #otherView(name: string): TemplateResult {
    return html`<li>${this.#box(name, false, this.shown.length >= MAX_COLUMNS)}</li>`;
  }

  #box(name: string, isShown: boolean, isDisabled: boolean): TemplateResult {
    return html`<label class="choice">
      <input
        type="checkbox"
        data-column=${name}
        .checked=${isShown}
        ?disabled=${isDisabled}
        @change=${() => this.#toggle(name, isShown)}
      />
      <span>${name in LABELS ? labelOf(name) : html`<code>${name}</code>`}</span>
    </label>`;
  }

  /** Completed by the paths of the newest events, for those who may see them. */
  #pathForm(): TemplateResult {
    const isFull = this.shown.length >= MAX_COLUMNS;
    const hint = isFull
      ? `A table has at most ${MAX_COLUMNS} columns.`
      : "Such as metadata.plan, or actor.meta.team";
    const add = (form: FormData, element: HTMLFormElement) => {
      const name = textIn(form, PATH);
      if (!isColumn(name))
        return this.#context.say(`${name} is no path. Write one such as metadata.plan.`);
      if (this.shown.includes(name)) return this.#context.say(`${name} is shown already.`);
      if (isFull) return this.#context.say(hint);
      element.reset();
      this.#set([...this.shown, name]);
      this.#context.say(`${labelOf(name)} is shown.`);
    };
    return html`<form @submit=${onSubmit(add)}>
      ${field({ name: PATH, label: "Path of a value", hint, isRequired: true, maxLength: MAX_COLUMN_LENGTH, options: this.#paths?.value })}
      <p class="buttons"><button>Add column</button></p>
    </form>`;
  }

  #open(isOpen: boolean): void {
    const { api, may, update } = this.#context;
    this.#isOpen = isOpen;
    if (isOpen && may("keys:manage"))
      this.#paths ??= new Loader(update, (signal) =>
        api.searchFields.paths({ signal }).then(pathsOf, () => []),
      );
    update();
    if (!isOpen) document.querySelector<HTMLElement>("#columns-button")?.focus();
  }

  #toggle(name: string, isShown: boolean): void {
    const { shown } = this;
    this.#set(isShown ? shown.filter((each) => each !== name) : [...shown, name]);
    focusOn(name);
  }

  /** The focus stays with the column that is moved, so that a key moves it on. */
  #move(name: string, by: number, way: string): void {
    const columns = this.shown.filter((each) => each !== name);
    const place = this.shown.indexOf(name) + by;
    this.#set(columns.toSpliced(place, 0, name));
    this.#context.say(`${labelOf(name)} is column ${place + 1} of ${this.shown.length}.`);
    focusOn(name, way);
  }

  /** None: the default ones again. */
  #set(columns: readonly string[]): void {
    const { notes } = this.#context;
    try {
      if (columns.length === 0) notes.removeItem(KEY);
      else notes.setItem(KEY, columns.join(" "));
    } catch {
      // The browser keeps nothing: the address has the choice.
    }
    this.#options.choose(columns);
  }

  #kept(): string {
    try {
      return this.#context.notes.getItem(KEY) ?? "";
    } catch {
      return "";
    }
  }
}

/** Puts the focus on what changes that column: the button of that way, or another one of the column. */
function focusOn(name: string, way?: string): void {
  const all = [...document.querySelectorAll<HTMLButtonElement>("#columns [data-column]")];
  const found = all.filter(({ dataset, disabled }) => dataset["column"] === name && !disabled);
  (found.find(({ dataset }) => dataset["way"] === way) ?? found.at(-1))?.focus();
}

/** The columns that an address has. */
export const columnsOfAddress = (query: URLSearchParams): readonly string[] =>
  columnsIn(query.get(COLUMNS) ?? "");
