// The manifest, the last record of an export: what the file claims to hold. Called by verify-file.ts. It is
// parsed strictly: a member that is missing or of another type is an error.

import { type JsonObject, type JsonValue, readJson } from "@annals/event";
import { hash } from "node:crypto";
import { BadLine } from "./bad-line.ts";

export interface Place {
  readonly sequenceNumber: number;
  readonly hash: string;
  readonly previousHash: string;
}

export interface Manifest {
  readonly exportId: string;
  readonly chain: string;
  readonly format: string;
  readonly includeProofs: boolean;
  readonly createdAt: string;
  /** Whether a filter may have left out events of the range. */
  readonly isFiltered: boolean;
  readonly head: { readonly sequenceNumber: number; readonly hash: string };
  /** Both inclusive. */
  readonly range: { readonly from: number; readonly to: number };
  readonly eventCount: number;
  readonly first: Place | undefined;
  readonly last: Place | undefined;
  /** Of the bytes before the manifest's record. */
  readonly sizeBytes: number;
  readonly sha256: string;
}

const SHAPE = /^\{"manifest":(\{.*\}),"manifest_sha256":"([0-9a-f]{64})"\}$/s;
const READ_LIMITS = { maxDepth: 8, maxValues: 1_000 };
/** Filters that only bound the range and leave out no event within it. */
const BOUNDS: readonly string[] = ["after_sequence", "before_sequence"];

export function isManifest(text: string): boolean {
  return text.startsWith('{"manifest":');
}

/** Throws BadLine for a text that is no manifest, or whose digest is another. */
export function readManifest(text: string): Manifest {
  const [, body, digest] = SHAPE.exec(text) ?? [];
  if (body === undefined) throw new BadLine("the manifest is not complete");
  if (hash("sha256", body) !== digest) throw new BadLine("manifest_mismatch: it was changed");
  const manifest = objectOf(parse(body), "manifest");
  if (manifest["v"] !== 1) throw new BadLine("the version of the manifest is unknown");
  const head = objectOf(manifest["head"], "head");
  const range = objectOf(manifest["range"], "range");
  const filters = Object.keys(objectOf(manifest["filter"], "filter"));
  return {
    exportId: textOf(manifest, "export_id"),
    chain: textOf(manifest, "chain"),
    format: textOf(manifest, "format"),
    includeProofs: manifest["include_proofs"] === true,
    createdAt: textOf(manifest, "created_at"),
    isFiltered: filters.some((name) => !BOUNDS.includes(name)),
    head: { sequenceNumber: count(head, "sequence_number"), hash: textOf(head, "hash") },
    range: { from: count(range, "from_sequence"), to: count(range, "to_sequence") },
    eventCount: count(manifest, "event_count"),
    first: place(manifest["first"], "first"),
    last: place(manifest["last"], "last"),
    sizeBytes: count(manifest, "size_bytes"),
    sha256: textOf(manifest, "sha256"),
  };
}

function parse(body: string): JsonValue {
  try {
    return readJson(Buffer.from(body), READ_LIMITS);
  } catch (error) {
    throw new BadLine(`the manifest cannot be read: ${(error as Error).message}`);
  }
}

function place(value: JsonValue | undefined, name: string): Place | undefined {
  if (value === null) return undefined;
  const object = objectOf(value, name);
  return {
    sequenceNumber: count(object, "sequence_number"),
    hash: textOf(object, "hash"),
    previousHash: textOf(object, "previous_hash"),
  };
}

function objectOf(value: JsonValue | undefined, name: string): JsonObject {
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw new BadLine(`the manifest's ${name} is not an object`);
  return value;
}

function textOf(object: JsonObject, name: string): string {
  const value = object[name];
  if (typeof value !== "string") throw new BadLine(`the manifest's ${name} is not a text`);
  return value;
}

function count(object: JsonObject, name: string): number {
  const value = object[name];
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw new BadLine(`the manifest's ${name} is not an integer`);
  return value;
}
