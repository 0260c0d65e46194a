// Checks a record of a CSV export: its columns by the header, and cells that were made safe for spreadsheets.
// Called by check-records.ts. A record must be the one that the service writes of its event: programs differ
// in what they make of quotes within a cell and of other line breaks. It ends with the CR before its line
// feed.

import {
  CanonicalObjects,
  csvHeader,
  csvManifest,
  eventCsv,
  type Part,
  PARTS,
  readJson,
  safeCell,
  valueOfCell,
} from "@annals/event";
import { isUtf8 } from "node:buffer";
import { BadLine } from "./bad-line.ts";
import { checkEvent, reading } from "./check-line.ts";
import { checkedEvent } from "./checked-event.ts";
import type { Checker } from "./checker.ts";
import { isManifest } from "./manifest.ts";
import { PART_LIMITS, READ_LIMITS, type ReadEvent, readProof, readTexts } from "./read-event.ts";

const HEADER = withoutFeed(csvHeader(true));
const NAMES = HEADER.trimEnd().split(",");

/** The manifest's record: nothing in any cell but the last. */
const MANIFEST_OPENING = `${",".repeat(NAMES.length - 1)}"`;
/** Exports without proofs have one column less. */
const UNPROVEN_OPENING = MANIFEST_OPENING.slice(1);

/** Reads the parts of all records. */
const OBJECTS = new CanonicalObjects(PART_LIMITS);

export function csvChecker(): Checker {
  return {
    manifestIn: (record) => {
      if (record[0] !== 0x2c) return undefined;
      const text = record.toString("utf8");
      if (!text.startsWith(MANIFEST_OPENING) && !text.startsWith(UNPROVEN_OPENING))
        return undefined;
      const manifest = splitRecord(withoutReturn(text)).at(-1) ?? "";
      const isOurs = [true, false].some(
        (proofs) => text === withoutFeed(csvManifest(manifest, proofs)),
      );
      return isOurs && isManifest(manifest) ? manifest : undefined;
    },
    header: HEADER,
    check: (record, chain) => {
      if (!isUtf8(record)) throw new BadLine("is not valid UTF-8");
      const text = record.toString("utf8");
      const cells = splitRecord(withoutReturn(text));
      const event = eventOf(cells);
      checkEvent(event, chain);
      const { action, parts, sequenceNumber } = event;
      const { createdAt, hash, id, occurredAt, previousHash, receivedAt } = event;
      const written = { action, createdAt, hash, id, occurredAt, previousHash, receivedAt };
      const proof = cells[NAMES.indexOf("proof")];
      if (text !== withoutFeed(eventCsv({ ...written, ...parts, sequenceNumber }, proof)))
        throw new BadLine("has other quotes or another end than a record of the service");
      return { ...checkedEvent(event), chain: event.chain };
    },
  };
}

/** A record as the pieces of a file have it. */
function withoutFeed(record: string): string {
  return record.slice(0, -1);
}

/** Throws BadLine. */
function withoutReturn(record: string): string {
  if (!record.endsWith("\r")) throw new BadLine("does not end with CR and LF");
  return record.slice(0, -1);
}

function eventOf(cells: readonly string[]): ReadEvent {
  if (cells.length !== NAMES.length || cells.at(-1) !== "")
    throw new BadLine("is not an event with its proof");
  const cell = (name: string): string => cells[NAMES.indexOf(name)] ?? "";
  const number = cell("sequence_number");
  if (!/^[1-9][0-9]{0,15}$/.test(number) || !Number.isSafeInteger(Number(number)))
    throw new BadLine("has no sequence number");
  const chosen = (name: string): string => chosenValue(cell(name), name);
  const parts = partsOf(cell);
  for (const part of ["actor", "target"] as const) {
    checkCopies(parts[part], part, chosen(`${part}_id`), chosen(`${part}_type`));
  }
  const proof = reading(() => readProof(readJson(Buffer.from(cell("proof")), READ_LIMITS)));
  return {
    sequenceNumber: Number(number),
    action: chosen("action"),
    parts,
    // A record has no cell for it: the missing salt alone says so.
    erased: new Set(PARTS.filter((part) => proof.salts[part] === undefined)),
    ...readTexts(cell),
    ...proof,
  };
}

/** The value of a cell. Throws BadLine if a spreadsheet would run it. */
function chosenValue(text: string, name: string): string {
  const value = valueOfCell(text);
  if (safeCell(value) !== text) throw new BadLine(`${name} is a cell that a spreadsheet would run`);
  return value;
}

export function partsOf(cell: (name: string) => string): Record<Part, string> {
  const parts = PARTS.map((part) => [part, canonical(cell(part), part)] as const);
  return Object.fromEntries(parts) as Record<Part, string>;
}

/** Throws BadLine for any other text of the same value: its digest could be made to fit. */
function canonical(text: string, part: Part): string {
  try {
    OBJECTS.check(Buffer.from(text));
  } catch (error) {
    throw new BadLine(`the ${part} is not a canonical JSON object: ${(error as Error).message}`);
  }
  return text;
}

/** Throws BadLine if the cells of an id and a type are not those of the actor or target. */
export function checkCopies(part: string, name: string, id: string, type: string): void {
  if (part === "{}" && id === "" && type === "") return;
  const object = readObject(part, name);
  for (const [member, shown] of [["id", id] as const, ["type", type] as const]) {
    const held = object[member];
    if ((typeof held === "string" ? held : "") !== shown)
      throw new BadLine(`${name}_${member} does not match the ${name}`);
  }
}

function readObject(text: string, name: string): Readonly<Record<string, unknown>> {
  try {
    const read = readJson(Buffer.from(text), READ_LIMITS);
    if (read !== null && typeof read === "object" && !Array.isArray(read)) return read;
  } catch {
    // Thrown below: what cannot be parsed is not an object either.
  }
  throw new BadLine(`the ${name} is not an object`);
}

/** The cells of a record of RFC 4180. Throws BadLine. */
function splitRecord(text: string): string[] {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    const [cell, end] = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at);
    cells.push(cell);
    if (end === text.length) return cells;
    if (text[end] !== ",") throw new BadLine("is not a record of CSV");
    at = end + 1;
  }
}

function plainCell(text: string, at: number): readonly [string, number] {
  const comma = text.indexOf(",", at);
  const end = comma < 0 ? text.length : comma;
  return [text.slice(at, end), end];
}

function quotedCell(text: string, at: number): readonly [string, number] {
  let from = at + 1;
  let cell = "";
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) throw new BadLine("a quoted cell is not closed");
    cell += text.slice(from, quote);
    if (text[quote + 1] !== '"') return [cell, quote + 1];
    cell += '"';
    from = quote + 2;
  }
}
