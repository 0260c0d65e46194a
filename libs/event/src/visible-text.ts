// Characters that a reader does not see, or that change how the text around them is shown: controls, direction
// marks, zero-width characters, lone surrogates. annals-verify escapes them before it prints a text of a file;
// the viewer and the dashboard show them as marks. It must never import from Node: browsers run it.

import { excerpt } from "./json/json-value.ts";

const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;
const EACH_HIDDEN = new RegExp(HIDDEN, "gu");
const ANY_HIDDEN = new RegExp(HIDDEN, "u");

/** Characters of a text that {@link quoteVisibly} shows. */
const MAX_QUOTED = 120;

/** A piece of a text: as it is, or one hidden character. */
export interface Piece {
  readonly text: string;
  /** `U+202E`, where the piece is a hidden character. */
  readonly codePoint: string | undefined;
}

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

export function hasHidden(text: string): boolean {
  return ANY_HIDDEN.test(text);
}

/** In their order. `isShown` excepts characters that the caller shows as they are. */
export function visiblePieces(text: string, isShown?: (character: string) => boolean): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: hidden, index } of text.matchAll(EACH_HIDDEN)) {
    if (isShown?.(hidden) === true) continue;
    if (index > from) pieces.push({ text: text.slice(from, index), codePoint: undefined });
    pieces.push({ text: hidden, codePoint: nameOf(hidden) });
    from = index + hidden.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), codePoint: undefined });
  return pieces;
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function escapeUnit(unit: number): string {
  return String.raw`\u${unit.toString(16).padStart(4, "0")}`;
}
