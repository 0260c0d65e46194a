// The erasures of a ledger as an operator keeps them outside the database, a line for each record. Called by
// the commands `erasures list` and `erasures reapply`. A line must never hold a value, or a selector.

import { canonicalJson, erasedBits, type JsonObject, PARTS } from "@annals/event";
import { numbersIn } from "../../events/rules/number-ranges.ts";

/** What one record of a chain has erased. */
export interface DoneErasure {
  readonly accountId: string;
  /** Sequence number of the record. */
  readonly record: number;
  /** Id of the request. */
  readonly erasure: string;
  readonly reference: string | undefined;
  /** The bits of the parts. */
  readonly parts: number;
  /** Ascending. */
  readonly numbers: readonly number[];
  /** Hash of the last of the events, in hexadecimal: with it the chain is the same up to there. */
  readonly hash: string;
}

type Said = Pick<DoneErasure, "erasure" | "reference" | "parts" | "numbers">;

/** Maximum events of a record: the function ledger.erase takes no more. */
const MAX_NUMBERS = 250;
const HASH = /^[0-9a-f]{64}$/;

/** What the metadata of a record says, or the members of a line. Undefined if it has another form. */
export function erasureIn(metadata: Readonly<Record<string, unknown>>): Said | undefined {
  const { erasure, parts, reference, sequence_numbers: ranges } = metadata;
  const numbers = typeof ranges === "string" ? numbersIn(ranges, MAX_NUMBERS) : undefined;
  const isSaid =
    typeof erasure === "string" && (reference === undefined || typeof reference === "string");
  if (!isSaid || numbers === undefined || !Array.isArray(parts)) return undefined;
  const named = PARTS.filter((part) => parts.includes(part));
  if (named.length === 0 || named.length !== parts.length) return undefined;
  return { erasure, reference, parts: erasedBits(named), numbers };
}

/** One line of the file of erasures. `said` is the metadata of the record. */
export function erasureLine(
  { accountId, hash, record }: Pick<DoneErasure, "accountId" | "hash" | "record">,
  said: JsonObject,
): string {
  return `${canonicalJson({ ...said, account_id: accountId, hash, record })}\n`;
}

/** Reads a file of erasures. Throws an error that names the line and what is wrong with it. */
export function readErasures(text: string): DoneErasure[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => (line.trim() === "" ? [] : [readErasure(line, at + 1)]));
}

function readErasure(line: string, number: number): DoneErasure {
  const read = objectIn(line);
  if (!read) throw new Error(`line ${number} is not a JSON object`);
  const { account_id: accountId, hash, record } = read;
  if (typeof accountId !== "string" || accountId === "")
    throw new Error(`line ${number}: account_id must be a string`);
  if (typeof record !== "number" || !Number.isSafeInteger(record) || record < 1)
    throw new Error(`line ${number}: record must be a positive integer`);
  if (typeof hash !== "string" || !HASH.test(hash))
    throw new Error(`line ${number}: hash must be 64 hexadecimal digits in lower case`);
  const said = erasureIn(read);
  if (!said)
    throw new Error(
      `line ${number}: erasure, parts and sequence_numbers are not those of a record`,
    );
  return { accountId, record, hash, ...said };
}

function objectIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const read: unknown = JSON.parse(line);
    return typeof read === "object" && read !== null ? { ...read } : undefined;
  } catch {
    return undefined;
  }
}
