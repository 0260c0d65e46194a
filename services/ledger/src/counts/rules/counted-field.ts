// A field whose values are counted: how the index names it, and how an answer shows its values. Called by the
// counts. It must never show a value in another form than the events do.

import type { IndexedField } from "../../search/rules/in-parts.ts";

export interface CountedField {
  /** As in ledger.blocks. */
  readonly field: number;
  /** A column of an event, or the part that has its members. */
  readonly source: string;
  /** None: it is a column. */
  readonly members: readonly string[];
  readonly type: string;
  readonly ignoreCase: boolean;
}

/** In the order of their fields. */
export const COLUMNS = ["action", "actor_id", "actor_type", "target_id", "target_type"] as const;

/** One of the columns of an event; undefined for another name. */
export function columnField(name: string): CountedField | undefined {
  const at = COLUMNS.findIndex((column) => column === name);
  if (at < 0) return undefined;
  return {
    field: at + 1,
    source: name,
    members: [],
    type: "string",
    ignoreCase: false,
  };
}

export function partField(indexed: IndexedField): CountedField {
  const [part = "", ...members] = indexed.path;
  return {
    field: indexed.field,
    source: part,
    members,
    type: indexed.type,
    ignoreCase: indexed.ignore_case,
  };
}

/** A key of the index as a value of an event. */
export function shownValue(type: string, key: string): string {
  if (type === "number") return numberOf(key);
  return type === "ip" ? addressOf(key) : key;
}

function numberOf(key: string): string {
  const bytes = Buffer.from(key, "hex");
  const bits = bytes.readBigUInt64BE();
  const isPositive = bits >> 63n === 1n;
  bytes.writeBigUInt64BE(isPositive ? bits & ~(1n << 63n) : BigInt.asUintN(64, ~bits));
  return JSON.stringify(bytes.readDoubleBE());
}

function addressOf(key: string): string {
  const bytes = Buffer.from(key.slice(1), "hex");
  if (key.startsWith("4")) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16));
  // A URL has addresses in their shortest form.
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
