// Texts of an event as a reader sees them: a character that is not shown, or that turns its neighbours
// round, becomes a mark. Used by the views. The dashboard marks the same characters
// (libs/event/src/visible-text.ts).

import { markHidden } from "@annals/proof";
import { html, type TemplateResult } from "lit";

const mark = (name: string): TemplateResult =>
  html`<span class="mark" title="${name}">⟨${name}⟩</span>`;

/** Characters that a value may show: tabs, line breaks, and what emoji are made of. */
const OF_TEXT: readonly string[] = ["\t", "\n", "\r", "\u200D", "\uFE0F"];
const isOfText = (character: string): boolean => OF_TEXT.includes(character);

/** An id, an action, a type or a name: every such character has a mark. */
export function visible(text: string): readonly (string | TemplateResult)[] {
  return markHidden(text, mark);
}

/** A value, which may have several lines. */
export function visibleValue(text: string): readonly (string | TemplateResult)[] {
  return markHidden(text, mark, isOfText);
}

/** Marks every such character in plain text, without markup: `⟨U+202E⟩`. */
export function visibleText(text: string): string {
  return markHidden(text, (name) => `⟨${name}⟩`).join("");
}

/** At most `length` UTF-16 units, and no half of a character at the end. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
}
