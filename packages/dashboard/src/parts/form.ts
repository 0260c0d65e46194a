// Fields of forms: a label, the input, a hint. Used by the screens that create something.

import { html, nothing, type TemplateResult } from "lit/html.js";

interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly type?: "text" | "url" | "number" | "datetime-local";
  readonly value?: string;
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
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
      autocomplete="off"
      spellcheck="false"
      aria-describedby=${hint === undefined ? nothing : hintId}
    />
    ${hint === undefined ? nothing : html`<p class="hint" id=${hintId}>${hint}</p>`}
  </div>`;
}

interface Choices {
  readonly name: string;
  readonly label: string;
  readonly values: readonly string[];
  readonly chosen?: readonly string[];
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

/** One of the values. */
export function select(
  name: string,
  label: string,
  values: Readonly<Record<string, string>>,
): TemplateResult {
  return html`<div class="field">
    <label for=${name}>${label}</label>
    <select id=${name} name=${name}>
      ${Object.entries(values).map(([value, text]) => html`<option value=${value}>${text}</option>`)}
    </select>
  </div>`;
}

/** The text of a field, trimmed. */
export const textIn = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
};

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
