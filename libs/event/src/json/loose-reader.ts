// The reader of values that a machine sends on behalf of others, for `readJsonLoosely` and its kin alone:
// what the strict reader refuses because canonical JSON could not carry it becomes a value that it can carry.
// It must never read what RFC 8259 does not allow, nor hide one of two members with the same name.

import { escapeLength } from "./escape.ts";
import { PiecewiseReader } from "./piecewise-reader.ts";
import { replaceNul } from "./replace-nul.ts";

const UNIT_ESCAPE = /^\\u[0-9a-f]{4}$/i;
const UNIT_ESCAPE_LENGTH = 6;

export class LooseReader extends PiecewiseReader {
  /** Whether a value differs from what the text says. */
  isAltered = false;

  get count(): number {
    return this.values;
  }

  /** A number that a double does not keep becomes its text. */
  protected override unfaithfulNumber(token: string): string {
    this.isAltered = true;
    return token;
  }

  protected override unescaped(start: number, end: number): string {
    const read = super.unescaped(start, end);
    return this.isAltered ? replaceNul(read.toWellFormed()) : read;
  }

  /** Half of a surrogate pair, and U+0000, become U+FFFD. */
  protected override escapeAt(at: number): number {
    const length = escapeLength(this.text, at);
    if (typeof length === "number") return length;
    if (!UNIT_ESCAPE.test(this.text.slice(at, at + UNIT_ESCAPE_LENGTH))) return super.escapeAt(at);
    this.isAltered = true;
    return UNIT_ESCAPE_LENGTH;
  }
}
