// The texts that a search looks for in events, as store/find-text.ts compares them: bytes of JSON with ASCII
// letters in lower case. Called by compared.ts.

import { WIDGET_PARTS } from "@annals/contract";
import { quote } from "@annals/event";
import { internal } from "@annals/errors";
import type { EventFilter } from "./event-filter.ts";

export interface FoldedTexts {
  /** The parts in which they are looked for. */
  readonly parts: readonly string[];
  readonly texts: readonly [Buffer, Buffer | null];
}

/** A client's text is one, or two where a plus sign may be a space. */
export function foldedTexts({ texts = [], textParts = WIDGET_PARTS }: EventFilter): FoldedTexts {
  const [first, second, ...more] = texts.map(folded);
  if (!first || more.length > 0) throw internal(`a filter has ${texts.length} texts`);
  return { parts: textParts, texts: [first, second ?? null] };
}

/** As it is in canonical JSON, without the quotes around it. */
function folded(text: string): Buffer {
  const escaped = quote(text.toWellFormed()).slice(1, -1);
  return Buffer.from(escaped.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()));
}
