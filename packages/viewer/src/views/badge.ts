// A badge: a sign, a word and a colour, so that none of them is needed alone. Used by the table and the
// detail.

import { html, nothing, type TemplateResult } from "lit";
import type { Badge, BadgeState } from "../proof/badge.ts";
import type { Texts } from "../texts.ts";
import type { Messages } from "../types.ts";

const SIGNS: Readonly<Record<BadgeState, string>> = {
  verified: "✓",
  differs: "✗",
  hidden: "◐",
  erased: "◌",
  unchecked: "–",
  checking: "…",
};

/** What differs, by the name that the viewer gives it elsewhere. */
export function partName(part: string, { text }: Texts): string {
  return text(part as keyof Messages);
}

/** As a mark, the good news needs no word that a reader sees. */
export function badge({ state, differing }: Badge, texts: Texts, form?: "mark"): TemplateResult {
  const parts = texts.list(differing.map((part) => partName(part, texts)));
  const words = texts.text(state, { parts });
  const isMark = form === "mark" && state === "verified";
  return html`<span
    class="badge ${state}"
    part="badge badge-${state}"
    title=${isMark ? words : nothing}
    ><span aria-hidden="true">${SIGNS[state]} </span
    >${isMark ? html`<span class="unseen">${words}</span>` : words}</span
  >`;
}
