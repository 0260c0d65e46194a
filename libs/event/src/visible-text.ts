// Characters that a reader does not see, or that change how the text around them is shown: controls, direction
// marks, zero-width characters, lone surrogates. annals-verify escapes them before it prints a text of a file;
// the viewer and the dashboard show them as marks. It must never import from Node: browsers run it.

import { excerpt } from "./json/json-value.ts";

const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;
const EACH_HIDDEN = new RegExp(HIDDEN, "gu");

/** Characters of a text that {@link quoteVisibly} shows. */
const MAX_QUOTED = 120;

/** Each hidden character as `\uXXXX`. All else is unchanged, so a text that was escaped stays as it is. */
export function escapeHidden(text: string): string {
  return text.replace(EACH_HIDDEN, (hidden) =>
    Array.from({ length: hidden.length }, (_, at) => escapeUnit(hidden.charCodeAt(at))).join(""),
  );
}

/** A JSON string of visible characters alone, which shows at most the first 120 characters of the text. */
export function quoteVisibly(text: string): string {
  return escapeHidden(JSON.stringify(excerpt(text, MAX_QUOTED)));
}

/**
 * The text in pieces: what is visible as it is, and in place of each hidden character what `mark` makes of its name,
 * `U+202E`. A lone surrogate counts as one. `isKept` excepts characters, such as line breaks.
 */
export function markHidden<Mark>(
  text: string,
  mark: (name: string) => Mark,
  isKept: (character: string) => boolean = () => false,
): (string | Mark)[] {
  const pieces: (string | Mark)[] = [];
  let from = 0;
  for (const { 0: hidden, index } of text.matchAll(EACH_HIDDEN)) {
    if (isKept(hidden)) continue;
    if (index > from) pieces.push(text.slice(from, index));
    pieces.push(mark(nameOf(hidden)));
    from = index + hidden.length;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function escapeUnit(unit: number): string {
  return String.raw`\u${unit.toString(16).padStart(4, "0")}`;
}
