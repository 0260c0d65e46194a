// Fields of forms: a label, the input, a hint. Used by the screens that create or change something.

import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Action } from "../screen.ts";

const MINUTE_MS = 60_000;

interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly type?: "text" | "url" | "number" | "datetime-local" | "password" | undefined;
  readonly value?: string | undefined;
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** Values that are offered while one types. */
  readonly options?: readonly string[] | undefined;
}

export function field(given: Field): TemplateResult {
  const { name, label, hint, type = "text", value = "", isRequired = false } = given;
  const hintId = `${name}-hint`;
  return html`<div class="field">
    <label for=${name}>${label}</label>
    <input
      id=${name}
      name=${name}
      type=${type}
      .value=${value}
      ?required=${isRequired}
      maxlength=${given.maxLength ?? nothing}
      min=${given.min ?? nothing}
      max=${given.max ?? nothing}
      step=${type === "datetime-local" ? "any" : nothing}
      autocomplete=${type === "password" ? "new-password" : "off"}
      spellcheck="false"
      aria-describedby=${hint === undefined ? nothing : hintId}
      list=${given.options ? `${name}-options` : nothing}
    />
    ${given.options ? optionsView(`${name}-options`, given.options) : nothing}
    ${hintView(hintId, hint)}
  </div>`;
}

const hintView = (id: string, hint: string | undefined) =>
  hint === undefined ? nothing : html`<p class="hint" id=${id}>${hint}</p>`;

const optionsView = (id: string, options: readonly string[]) =>
  html`<datalist id=${id}>
    ${options.map((value) => html`<option value=${value}></option>`)}
  </datalist>`;

/** Several lines of text. */
export function area({ name, label, hint, isRequired = false, value = "" }: Field): TemplateResult {
  const hintId = `${name}-hint`;
  return html`<div class="field">
    <label for=${name}>${label}</label>
    <textarea
      id=${name}
      name=${name}
      rows="2"
      .value=${value}
      ?required=${isRequired}
      autocomplete="off"
      spellcheck="false"
      aria-describedby=${hint === undefined ? nothing : hintId}
    ></textarea>
    ${hintView(hintId, hint)}
  </div>`;
}

export function checkbox(name: string, label: string, isChecked = false): TemplateResult {
  return html`<label class="choice">
    <input type="checkbox" name=${name} ?checked=${isChecked} />
    <span>${label}</span>
  </label>`;
}

interface Choices {
  readonly name: string;
  readonly label: string;
  readonly values: readonly string[];
  readonly chosen?: readonly string[] | undefined;
  readonly meanings?: Readonly<Record<string, string>>;
}

/** Any number of the values. */
export function choices({
  name,
  label,
  values,
  chosen = [],
  meanings = {},
}: Choices): TemplateResult {
  return html`<fieldset>
    <legend>${label}</legend>
    ${values.map(
      (value) =>
        html`<label class="choice">
          <input type="checkbox" name=${name} value=${value} ?checked=${chosen.includes(value)} />
          <span><code>${value}</code> ${meanings[value] ?? nothing}</span>
        </label>`,
    )}
  </fieldset>`;
}

interface Select {
  readonly name: string;
  readonly label: string;
  readonly values: Readonly<Record<string, string>>;
  readonly chosen?: string | undefined;
  readonly onChange?: (event: Event) => void;
}

/** One of the values. */
export function select({ name, label, values, chosen, onChange }: Select): TemplateResult {
  return html`<div class="field">
    <label for=${name}>${label}</label>
    <select id=${name} name=${name} @change=${onChange}>
      ${Object.entries(values).map(
        ([value, text]) =>
          html`<option value=${value} ?selected=${value === chosen}>${text}</option>`,
      )}
    </select>
  </div>`;
}

/** The text of a field, trimmed. */
export const textIn = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
};

/** The number in a field; undefined if it is empty. */
export const numberIn = (form: FormData, name: string): number | undefined => {
  const text = textIn(form, name);
  return text === "" ? undefined : Number(text);
};

/** The values of a field with several lines. */
export const linesIn = (form: FormData, name: string): string[] =>
  textIn(form, name)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** The time in a field, which is of the reader's zone; undefined if it is empty. */
export const timeIn = (form: FormData, name: string): string | undefined => {
  const text = textIn(form, name);
  return text === "" ? undefined : new Date(text).toISOString();
};

/** Writes a time for a field; empty for text that is not a time. */
export function timeField(text: string | undefined): string {
  const at = new Date(text ?? "");
  if (Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS)
    .toISOString()
    .slice(0, "2026-01-31T09:30:00".length)
    .replace(/:00$/, "");
}

/** The chosen ones of the values. */
export function chosenIn<Value extends string>(
  form: FormData,
  name: string,
  values: readonly Value[],
): Value[] {
  const chosen = form.getAll(name);
  return values.filter((value) => chosen.includes(value));
}

/** Calls `work` with what a form holds; the page stays. */
export const onSubmit =
  (work: (form: FormData, element: HTMLFormElement) => void) => (event: SubmitEvent) => {
    event.preventDefault();
    const element = event.currentTarget as HTMLFormElement;
    work(new FormData(element), element);
  };

interface FormSection {
  readonly id: string;
  readonly title: TemplateResult | string;
  readonly fields: TemplateResult;
  readonly action: Action;
  /** What the button says. */
  readonly submit: string;
  /** The look of the button. */
  readonly kind?: "primary" | "danger" | "";
  /** Undefined for a form that cannot be left. */
  readonly onCancel?: (() => void) | undefined;
  readonly work: (form: FormData, element: HTMLFormElement) => Promise<void>;
}

/** A form with its heading. What `work` throws is shown above its button. */
export function formSection(given: FormSection): TemplateResult {
  const { action, fields, id, kind = "primary", onCancel, submit, title, work } = given;
  const run = (form: FormData, element: HTMLFormElement) =>
    void action.run(() => work(form, element));
  return html`<section aria-labelledby=${id}>
    <h2 id=${id} tabindex="-1">${title}</h2>
    <form @submit=${onSubmit(run)}>
      ${fields} ${action.view()}
      <p class="buttons">
        <button class=${kind} ?disabled=${action.isBusy}>${submit}</button>
        ${onCancel ? html`<button type="button" @click=${onCancel}>Cancel</button>` : nothing}
      </p>
    </form>
  </section>`;
}
