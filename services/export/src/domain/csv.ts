// Export files as CSV (RFC 4180): a header, one record an event, and a last record whose only
// filled cell, in the last column, is the manifest. A cell that a spreadsheet would run as a
// formula gets a ' in front, such that the value can be told from it for certain.

import { proofJson } from "@annals/contract";
import type { Encoder, ExportedEvent } from "./encoder.ts";

const COLUMNS = [
  "sequence_number",
  "id",
  "action",
  "actor_id",
  "actor_type",
  "target_id",
  "target_type",
  "occurred_at",
  "received_at",
  "created_at",
  "hash",
  "previous_hash",
  "actor",
  "target",
  "context",
  "diff",
  "metadata",
] as const;

const PROOF_COLUMN = "proof";
const MANIFEST_COLUMN = "manifest";

export function csvEncoder(includeProofs: boolean): Encoder {
  const names = [...COLUMNS, ...(includeProofs ? [PROOF_COLUMN] : []), MANIFEST_COLUMN];
  const empty = ",".repeat(names.length - 1);
  return {
    opening: record(names),
    record: (event) => record(cells(event, includeProofs)),
    closing: (manifest) => `${empty}${quote(manifest)}\r\n`,
  };
}

/**
 * Whatever a spreadsheet may take for a formula, also when it drops white space or reads full-width
 * signs. Leading ' count, so that taking one away gives the value back.
 */
const RUNNABLE = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** The text for a cell that holds what a client chose. */
export function safeCell(value: string): string {
  return RUNNABLE.test(value) ? `'${value}` : value;
}

/**
 * A cell as RFC 4180 has it: in quotes where it holds a quote, a comma or a line break, or white
 * space at an end.
 */
export function cell(value: string): string {
  return /[",\r\n]|^\s|\s$/.test(value) ? quote(value) : value;
}

function quote(value: string): string {
  return `"${value.replaceAll('"', '""')}"`;
}

function record(values: readonly string[]): string {
  return `${values.map(cell).join(",")}\r\n`;
}

function cells(event: ExportedEvent, includeProofs: boolean): string[] {
  const actor = named(event.actor);
  const target = named(event.target);
  const values = [
    String(event.sequenceNumber),
    event.id,
    safeCell(event.action),
    safeCell(actor.id),
    safeCell(actor.type),
    safeCell(target.id),
    safeCell(target.type),
    event.occurredAt,
    event.receivedAt,
    event.createdAt,
    event.hash,
    event.previousHash,
    event.actor || "{}",
    event.target || "{}",
    event.context || "{}",
    event.diff || "{}",
    event.metadata || "{}",
  ];
  if (includeProofs) {
    if (!event.proof) throw new TypeError(`event ${event.id} came without its proof`);
    values.push(proofJson(event.proof));
  }
  values.push("");
  return values;
}

/** Id and type of an actor or a target; empty where it has none. */
function named(part: string): { readonly id: string; readonly type: string } {
  if (part === "" || part === "{}") return { id: "", type: "" };
  const { id, type } = JSON.parse(part) as { readonly id?: unknown; readonly type?: unknown };
  return { id: typeof id === "string" ? id : "", type: typeof type === "string" ? type : "" };
}
