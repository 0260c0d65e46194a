// What a reader asks of an event first: who did it, to what, with which outcome, and from where. Used by the
// table and the detail.

import { html, nothing, type TemplateResult } from "lit";
import type { ProvenEvent } from "../client.ts";
import { isErased } from "../proof/badge.ts";
import type { Texts } from "../texts.ts";
import type { Json, JsonObject } from "../types.ts";
import { cut, visible } from "./visible.ts";

/** Longest text in a line: the rest is in the tables of the detail. */
const LINE_CHARACTERS = 200;

/** A text of an event in one line, isolated from the direction of its neighbours. */
export function line(value: Json | undefined): TemplateResult | typeof nothing {
  if (value === undefined) return nothing;
  const whole = typeof value === "string" ? value : JSON.stringify(value);
  return html`<bdi>${visible(cut(whole, LINE_CHARACTERS))}</bdi>`;
}

/** A party by its name, with its id and its kind next to it. */
export function party(
  event: ProvenEvent,
  part: "actor" | "target",
  texts: Texts,
): TemplateResult | typeof nothing {
  if (isErased(event, part)) return html`<span class="erased">${texts.text("partErased")}</span>`;
  const { id, type, meta } = event[part] ?? {};
  const name = (meta as JsonObject | null | undefined)?.["name"];
  const isNamed = typeof name === "string" && name !== "";
  const rest = [isNamed ? id : undefined, type].filter((value) => value !== undefined);
  if (id === undefined && rest.length === 0) return nothing;
  return html`${line(isNamed ? name : id)}${
    rest.length === 0
      ? nothing
      : html`<span class="muted"
          >${rest.map((value, at) => html`${at > 0 ? " · " : ""}${line(value)}`)}</span
        >`
  }`;
}

/** The outcome is `metadata.outcome`, by the convention of intake. Anything but a success has a sign. */
export function outcome({ metadata }: ProvenEvent, kind = ""): TemplateResult | typeof nothing {
  const value = metadata?.["outcome"];
  if (typeof value !== "string" || value === "") return nothing;
  const [state, sign] =
    value === "success" ? ["muted", ""] : value === "failure" ? ["differs", "✗ "] : ["muted", "? "];
  return html`<span class="outcome ${state} ${kind}" part="outcome"
    ><span aria-hidden="true">${sign}</span>${line(value)}</span
  >`;
}

export function address({ context }: ProvenEvent): TemplateResult | typeof nothing {
  return line(context?.["ip"]);
}
