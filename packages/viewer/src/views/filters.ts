// The form of the filters. Used by the element. It suggests what the log has; any other value can be typed.

import { html, nothing, type TemplateResult } from "lit";
import type { Choices } from "../client.ts";
import type { Texts } from "../texts.ts";
import type { EventFilter, Messages, Zone } from "../types.ts";
import { fieldOf, timeOf, zoneName } from "../zone.ts";
import { visibleText } from "./visible.ts";

/** The longest value that the service takes. */
const MAX_CHARACTERS = 256;

export interface FiltersView {
  readonly texts: Texts;
  readonly filter: EventFilter;
  readonly choices: Choices;
  readonly onApply: (filter: EventFilter) => void;
}

interface Field {
  readonly name: keyof EventFilter;
  readonly label: keyof Messages;
  readonly choices?: keyof Choices;
  readonly isTime?: true;
}

const FIELDS: readonly Field[] = [
  { name: "action", label: "action", choices: "actions" },
  { name: "actor_id", label: "actorId" },
  { name: "actor_type", label: "actorType", choices: "actor_types" },
  { name: "target_id", label: "targetId" },
  { name: "target_type", label: "targetType", choices: "target_types" },
  { name: "occurred_from", label: "from", isTime: true },
  { name: "occurred_to", label: "to", isTime: true },
];

export const FILTER_NAMES: readonly (keyof EventFilter)[] = FIELDS.map(({ name }) => name);

export function filters({ texts, filter, choices, onApply }: FiltersView): TemplateResult {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onApply(read(event.currentTarget as HTMLFormElement, filter, texts.zone));
  };
  return html`<form
    class="filters"
    part="filters"
    id="filters"
    aria-label=${texts.text("filters")}
    @submit=${submit}
  >
    ${FIELDS.map(
      (field) =>
        html`<label
          >${texts.text(field.label)}${field.isTime ? ` (${zoneName(texts.zone)})` : ""}
          ${field.isTime ? timeInput(field, filter, texts.zone) : textInput(field, filter, choices)}
        </label>`,
    )}
    <span class="hint" id="hint">${texts.text("actionHint")}</span>
    <div class="buttons">
      <button type="submit" part="button">${texts.text("apply")}</button>
      <button type="button" part="button" @click=${() => onApply({})}>
        ${texts.text("clear")}
      </button>
    </div>
  </form>`;
}

function textInput({ name, choices: from }: Field, filter: EventFilter, choices: Choices) {
  const list = from && choices[from];
  return html`<input
      name=${name}
      part="input"
      maxlength=${MAX_CHARACTERS}
      autocomplete="off"
      dir="auto"
      list="list-${name}"
      aria-describedby="hint"
      .value=${filter[name] ?? ""}
    />
    <datalist id="list-${name}">
      ${list?.map((one) => html`<option value=${one} label=${labelOf(one)}></option>`)}
    </datalist>`;
}

function timeInput({ name }: Field, filter: EventFilter, zone: Zone) {
  return html`<input
    name=${name}
    part="input"
    type="datetime-local"
    step="1"
    .value=${fieldOf(filter[name], zone)}
  />`;
}

/** A time that was not changed stays as exact as it was: the field has whole seconds. */
function read(form: HTMLFormElement, before: EventFilter, zone: Zone): EventFilter {
  const filter: EventFilter = {};
  for (const { name, isTime } of FIELDS) {
    const { value } = form.elements.namedItem(name) as HTMLInputElement;
    const kept = before[name];
    if (value === "") continue;
    if (!isTime) filter[name] = value;
    else if (kept !== undefined && Date.parse(value) === Date.parse(fieldOf(kept, zone)))
      filter[name] = kept;
    else filter[name] = timeOf(value, zone).toISOString();
  }
  return filter;
}

/** Shown next to a value that holds characters that are not shown. */
function labelOf(value: string): string | typeof nothing {
  const shown = visibleText(value);
  return shown === value ? nothing : shown;
}
