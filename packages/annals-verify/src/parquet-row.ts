// Reads a row of a Parquet export as an event with its proof. Called by verify-parquet.ts. The columns are
// exactly those that the service writes, and what a query sees in them must be what was hashed: the copies of
// ids and types are those of the parts, and a part is its canonical text.

import { PARTS, readJson } from "@annals/event";
import { BadLine } from "./bad-line.ts";
import { reading } from "./check-line.ts";
import { checkCopies, partsOf } from "./csv-record.ts";
import { READ_LIMITS, type ReadEvent, readProof, readTexts } from "./read-event.ts";
import { anyText, integerFrom } from "./shape.ts";

export type Cell = string | bigint | null;

export type Row = Readonly<Record<string, unknown>>;

const TIMES: readonly string[] = ["occurred_at", "received_at", "created_at"];
const MICROS = 1_000_000n;
const FRACTION_DIGITS = 6;
const MILLIS = 1_000;

export interface Column {
  readonly name: string;
  readonly kind: "integer" | "time" | "text";
  readonly hasNulls: boolean;
  /** Whether a row group may have a dictionary of the values. */
  readonly repeats: boolean;
  /** Whether the footer has bounds of its values, for queries that compare them. */
  readonly isCompared: boolean;
}

const UNCOMPARED: readonly string[] = [...PARTS, "erased", "hash", "previous_hash", "proof"];

const column = (name: string, kind: Column["kind"] = "text", hasNulls = false): Column => ({
  name,
  kind,
  hasNulls,
  repeats: ["action", "actor_type", "target_type"].includes(name),
  isCompared: !UNCOMPARED.includes(name),
});

/** The columns of an export with proofs. */
export const COLUMNS: readonly Column[] = [
  column("sequence_number", "integer"),
  ...["id", "action"].map((name) => column(name)),
  ...["actor_id", "actor_type", "target_id", "target_type"].map((name) =>
    column(name, "text", true),
  ),
  ...TIMES.map((name) => column(name, "time")),
  ...["actor", "target", "context", "diff", "metadata"].map((name) => column(name)),
  column("erased", "text", true),
  ...["hash", "previous_hash", "proof"].map((name) => column(name)),
];

/** Throws BadLine. */
export function readRow(row: Row): ReadEvent {
  const cell = (name: string): string =>
    TIMES.includes(name) ? timeOf(row[name], name) : anyText(row[name] as string, `its ${name}`);
  const copy = (name: string): string => (row[name] === null ? "" : cell(name));
  const parts = partsOf(cell);
  for (const part of ["actor", "target"] as const)
    checkCopies(parts[part], part, copy(`${part}_id`), copy(`${part}_type`));
  const proof = reading(() => readProof(readJson(Buffer.from(cell("proof")), READ_LIMITS)));
  const erased = PARTS.filter((part) => proof.salts[part] === undefined);
  if (row["erased"] !== (erased.length === 0 ? null : JSON.stringify(erased)))
    throw new BadLine("its erased does not match its salts");
  return {
    sequenceNumber: integerFrom(Number(row["sequence_number"]), 1, "its sequence_number"),
    action: cell("action"),
    parts,
    erased: new Set(erased),
    ...readTexts(cell),
    ...proof,
  };
}

/** The text of a time in microseconds. */
function timeOf(value: unknown, name: string): string {
  const micros = typeof value === "bigint" ? value : 0n;
  const rest = ((micros % MICROS) + MICROS) % MICROS;
  const date = new Date(Number((micros - rest) / MICROS) * MILLIS);
  if (typeof value !== "bigint" || Number.isNaN(date.getTime()))
    throw new BadLine(`its ${name} is not a time`);
  const fraction = String(rest).padStart(FRACTION_DIGITS, "0");
  return `${date.toISOString().slice(0, -".000Z".length)}.${fraction}Z`;
}
