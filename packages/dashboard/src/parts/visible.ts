// Texts that clients chose, as a reader sees them: a character that is not shown, or that turns its
// neighbours round, becomes a mark. Used by the screens. The viewer marks the same characters
// (libs/event/src/visible-text.ts).

import { markHidden } from "@annals/proof";
import { html, type TemplateResult } from "lit/html.js";

export function visible(text: string): readonly (string | TemplateResult)[] {
  return markHidden(text, (name) => html`<span class="mark" title="${name}">⟨${name}⟩</span>`);
}

/** A text of its own. */
export const textView = (text: string): TemplateResult =>
  html`<span class="text">${visible(text)}</span>`;
