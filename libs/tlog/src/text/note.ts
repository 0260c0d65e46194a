// Signed notes (c2sp.org/signed-note) as texts: the text that is signed, and its signature lines. Parsing
// trusts nothing: check-note.ts verifies the signatures.

import { fitsIn, fromBase64, fromHex, hexOf, joined, toBase64 } from "./encoding.ts";
import { TlogError } from "./tlog-error.ts";
import { isKeyName } from "./vkey.ts";

export interface NoteSignature {
  readonly name: string;
  /** Eight lower-case hexadecimal digits. */
  readonly keyId: string;
  /** Without the key id; a cosignature begins with its time. */
  readonly bytes: Uint8Array;
}

export interface Note {
  /** Ends with a line feed. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** A line of ML-DSA-44 has 3,300 bytes, so that this holds 32 of them and the keys of a log. */
export const MAX_NOTE_BYTES = 256 * 1024;
export const MAX_NOTE_SIGNATURES = 64;

const KEY_ID_BYTES = 4;
const LINE = /^— ([^ ]+) ([A-Za-z0-9+/=]+)$/;
// oxlint-disable-next-line no-control-regex -- it searches for control characters
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/;

/** Throws TlogError (note_malformed). */
export function parseNote(note: string): Note {
  if (!fitsIn(MAX_NOTE_BYTES, note)) throw malformed(`a note has at most ${MAX_NOTE_BYTES} bytes`);
  if (!note.isWellFormed() || CONTROL.test(note))
    throw malformed("a note is UTF-8 without control characters");
  const blank = note.lastIndexOf("\n\n");
  if (blank < 0 || !note.endsWith("\n"))
    throw malformed("a note has a text, a blank line and signatures");
  const lines = note.slice(blank + 2, -1).split("\n");
  if (lines.length > MAX_NOTE_SIGNATURES)
    throw malformed(`a note has at most ${MAX_NOTE_SIGNATURES} signatures`);
  return { text: note.slice(0, blank + 1), signatures: lines.map(parseLine) };
}

export function noteText({ signatures, text }: Note): string {
  const lines = signatures.map(({ bytes, keyId, name }) => {
    const encoded = toBase64(joined(fromHex(keyId), bytes));
    return `— ${name} ${encoded}\n`;
  });
  return `${text}\n${lines.join("")}`;
}

function parseLine(line: string): NoteSignature {
  const [, name = "", encoded = ""] = LINE.exec(line) ?? [];
  const bytes = fromBase64(encoded);
  if (!isKeyName(name) || bytes === undefined || bytes.length <= KEY_ID_BYTES)
    throw malformed("a signature line has a name and a signature");
  const keyId = hexOf(bytes.subarray(0, KEY_ID_BYTES));
  return { name, keyId, bytes: bytes.subarray(KEY_ID_BYTES) };
}

function malformed(message: string): TlogError {
  return new TlogError("note_malformed", message);
}
