// The buttons that turn the pages of a list. Used by the screens with pages.

import { html, nothing, type TemplateResult } from "lit/html.js";

interface Pages {
  /** Cursor of the page that is shown; undefined on the first one. */
  readonly cursor: string | undefined;
  readonly next: string | null;
  readonly turn: (cursor: string | undefined) => void;
}

export function pagesView({ cursor, next, turn }: Pages): TemplateResult {
  return html`<p class="buttons">
    ${cursor === undefined ? nothing : html`<button type="button" @click=${() => turn(undefined)}>Newest</button>`}
    ${next === null ? nothing : html`<button type="button" @click=${() => turn(next)}>Older</button>`}
  </p>`;
}
