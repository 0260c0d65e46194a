// The filters of a list of events as a part of a form. Used by exports, widget tokens and sinks.

import { html, type TemplateResult } from "lit/html.js";
import { field, textIn } from "./form.ts";

const TEXTS = {
  action: "Action (a * at the end matches every action that begins so)",
  actor_id: "Actor id",
  actor_type: "Actor type",
  target_id: "Target id",
  target_type: "Target type",
} as const;

const TIMES = { occurred_from: "Occurred from", occurred_to: "Occurred before" } as const;

const MAX_LENGTH = 256;

export function filterFields({ hasTimes = true } = {}): TemplateResult {
  return html`<details>
    <summary>Only some events</summary>
    <div class="fields">
      ${Object.entries(TEXTS).map(([name, label]) => field({ name, label, maxLength: MAX_LENGTH }))}
      ${Object.entries(hasTimes ? TIMES : {}).map(([name, label]) => field({ name, label, type: "datetime-local" }))}
    </div>
  </details>`;
}

/** The filters that were filled in. A time is of the reader's zone. */
export function filterIn(form: FormData): Record<string, string> {
  const texts = Object.keys(TEXTS).map((name) => [name, textIn(form, name)]);
  const times = Object.keys(TIMES).map((name) => {
    const text = textIn(form, name);
    return [name, text === "" ? "" : new Date(text).toISOString()];
  });
  return Object.fromEntries([...texts, ...times].filter(([, value]) => value !== ""));
}

/** `action invoice.*, actor id u_1`; for no filter "all events". */
export function filterText(filter: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(filter).map(([name, value]) => `${name} ${String(value)}`);
  return parts.length === 0 ? "all events" : parts.join(", ");
}
