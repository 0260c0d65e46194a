// Events as CSV (RFC 4180): a header, one record an event, and a last record whose only filled cell, in the
// last column, is the manifest. A cell that a spreadsheet would run as a formula gets a ' in front, such
// that the value can be told from it for certain. The ledger makes the records, the export service the rest.

import {
  COPIES,
  type EventMember,
  type EventText,
  JSON_PARTS,
  type Part,
} from "./event-members.ts";

/** In the order of {@link eventCsv}. */
const COLUMNS: readonly (EventMember | (typeof COPIES)[number])[] = [
  "sequence_number",
  "id",
  "action",
  ...COPIES,
  "occurred_at",
  "received_at",
  "created_at",
  "hash",
  "previous_hash",
  ...JSON_PARTS,
];

const PROOF_COLUMN = "proof";
const MANIFEST_COLUMN = "manifest";

/** Excel reads a file that begins with it as UTF-8. */
export const BYTE_ORDER_MARK = "\ufeff";

export function csvHeader(includeProofs: boolean): string {
  return `${columns(includeProofs).join(",")}\r\n`;
}

/** `manifest` is JSON text. */
export function csvManifest(manifest: string, includeProofs: boolean): string {
  return `${",".repeat(columns(includeProofs).length - 1)}${quote(manifest)}\r\n`;
}

function columns(includeProofs: boolean): string[] {
  return [...COLUMNS, ...(includeProofs ? [PROOF_COLUMN] : []), MANIFEST_COLUMN];
}

/** The record of an event; `proof`, JSON text, if the file has proofs. */
export function eventCsv(event: EventText, proof?: string): string {
  const { sequenceNumber, id, occurredAt, receivedAt, createdAt, hash, previousHash } = event;
  let record =
    `${sequenceNumber},${id},${chosen(event.action)},${named(event.actor)},${named(event.target)},` +
    `${occurredAt},${receivedAt},${createdAt},${hash},${previousHash},`;
  for (let at = 0; at < JSON_PARTS.length; at += 1) {
    record += `${partCell(event[JSON_PARTS[at] as Part])},`;
  }
  return `${record}${proof === undefined ? "" : `${quote(proof)},`}\r\n`;
}

/** Id and type of an actor or a target, two cells; empty if it has none. */
function named(text: string): string {
  if (isEmpty(text)) return ",";
  const { id, type } = objectOf(text);
  return `${typeof id === "string" ? chosen(id) : ""},${typeof type === "string" ? chosen(type) : ""}`;
}

/**
 * Someone who changed the database may have left anything here. It is exported unchanged; annals-verify finds
 * it.
 */
function objectOf(text: string): { readonly id?: unknown; readonly type?: unknown } {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}

/** A part of an event as a cell: JSON text with a member holds a quote. */
function partCell(text: string): string {
  return isEmpty(text) ? "{}" : quote(text);
}

function isEmpty(text: string): boolean {
  return text === "" || text === "{}";
}

/** Most ids and types: safe in a spreadsheet, and without a character that needs quotes. */
const PLAIN = /^\w[\w.:/-]*$/;

function chosen(value: string): string {
  return PLAIN.test(value) ? value : cell(safeCell(value));
}

/**
 * What a spreadsheet may run as a formula, also when it drops white space and invisible characters (a byte
 * order mark) or reads full-width signs. Leading ' count, so that removing one restores the value.
 */
const RUNNABLE = /^['\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|^'*[\t\r\n]/u;

/** The rule of {@link safeCell} for readers of a file: a member of its manifest. */
export const CSV_CELLS =
  "a cell that a spreadsheet would run has ' before it: where a cell begins with any number of ', of white space and " +
  "of invisible characters, and then one of = + - @ ＝ ＋ － ＠, or with any number of ' and then tab, CR or LF, its " +
  "first ' is not part of the value";

/** The text for a cell that holds what a client chose. */
export function safeCell(value: string): string {
  return RUNNABLE.test(value) ? `'${value}` : value;
}

/** The value that {@link safeCell} made the text of. */
export function valueOfCell(text: string): string {
  return text.startsWith("'") && RUNNABLE.test(text) ? text.slice(1) : text;
}

/**
 * A cell as RFC 4180 has it: in quotes if it holds a quote, a comma or a line break, or white
 * space at an end.
 */
export function cell(value: string): string {
  return /[",\r\n]|^\s|\s$/.test(value) ? quote(value) : value;
}

function quote(value: string): string {
  // A pattern: V8 takes a fifth longer to replace a string.
  return `"${value.replaceAll(/"/g, '""')}"`;
}
