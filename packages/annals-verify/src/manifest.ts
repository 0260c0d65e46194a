// The manifest, the last record of an export: what the file claims to hold. Called by verify-source.ts and
// parquet-footer.ts. It is parsed strictly: a member that is missing, unknown or of another shape is an
// error.

import { CSV_CELLS, type JsonObject, type JsonValue, readJson } from "@annals/event";
import { hash } from "node:crypto";
import { BadLine } from "./bad-line.ts";
import {
  ACCOUNT_ID,
  anyObject,
  exactObject,
  EXPORT_ID,
  FORMAT,
  integerFrom,
  type Pattern,
  SHA256,
  textLike,
  TIME,
} from "./shape.ts";

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
  /** Number of bytes before the manifest's record. */
  readonly sizeBytes: number;
  readonly sha256: string;
}

const SHAPE = /^\{"manifest":(\{.*\}),"manifest_sha256":"([0-9a-f]{64})"\}$/s;
const READ_LIMITS = { maxDepth: 8, maxValues: 1_000 };
const VERSION = 1;
const MEMBERS = [
  "v",
  "export_id",
  "chain",
  "format",
  "include_proofs",
  "filter",
  "created_at",
  "head",
  "range",
  "event_count",
  "first",
  "last",
  "size_bytes",
  "sha256",
];
/** Filters of an export. The first two only bound the range and leave out no event within it. */
const BOUNDS = ["after_sequence", "before_sequence"];
const TIME_FILTERS = ["occurred_from", "occurred_to", "received_from", "received_to"];
/** Each has one text, or an array of them. */
const VALUE_FILTERS = ["action", "actor_id", "actor_type", "target_id", "target_type"];
/** The length that the service allows, in UTF-16 units, of which a character has two at most. */
const FILTER_TEXT: Pattern = { is: /^.{1,512}$/s, name: "the text of a filter" };
/** An export of the events before the first one ends before it: at 0, or with `before_sequence` 0 at -1. */
const LEAST_END = -1;

export function isManifest(text: string): boolean {
  return text.startsWith('{"manifest":');
}

/** Throws BadLine if the text is not a manifest, or if its digest differs. */
export function readManifest(text: string): Manifest {
  const [, body, digest] = SHAPE.exec(text) ?? [];
  if (body === undefined) throw new BadLine("the manifest is not complete");
  if (hash("sha256", body) !== digest) throw new BadLine("manifest_mismatch: it was changed");
  const given = anyObject(parse(body), "the manifest");
  // First: another version may have other members.
  if (given["v"] !== VERSION) throw new BadLine("the version of the manifest is unknown");
  const format = textLike(given["format"], FORMAT, "the manifest's format");
  const manifest = exactObject(
    given,
    format === "csv" ? [...MEMBERS, "cells"] : MEMBERS,
    "the manifest",
  );
  if (format === "csv" && manifest["cells"] !== CSV_CELLS)
    throw new BadLine("the manifest's cells is not the rule of exports");
  const member = (name: string, pattern: Pattern) =>
    textLike(manifest[name], pattern, `the manifest's ${name}`);
  const count = (name: string) => integerFrom(manifest[name], 0, `the manifest's ${name}`);
  const includeProofs = manifest["include_proofs"];
  if (typeof includeProofs !== "boolean")
    throw new BadLine("the manifest's include_proofs is neither true nor false");
  return {
    exportId: member("export_id", EXPORT_ID),
    chain: member("chain", ACCOUNT_ID),
    format,
    includeProofs,
    createdAt: member("created_at", TIME),
    isFiltered: isFiltered(manifest["filter"]),
    head: readHead(manifest["head"]),
    range: readRange(manifest["range"]),
    eventCount: count("event_count"),
    first: place(manifest["first"], "first"),
    last: place(manifest["last"], "last"),
    sizeBytes: count("size_bytes"),
    sha256: member("sha256", SHA256),
  };
}

function parse(body: string): JsonValue {
  try {
    return readJson(Buffer.from(body), READ_LIMITS);
  } catch (error) {
    throw new BadLine(`the manifest cannot be read: ${(error as Error).message}`);
  }
}

/** Whether a filter may have left out events of the range. */
function isFiltered(value: JsonValue | undefined): boolean {
  const filter = anyObject(value, "the manifest's filter");
  const names = Object.keys(filter);
  exactObject(
    filter,
    [...BOUNDS, ...TIME_FILTERS, ...VALUE_FILTERS].filter((name) => names.includes(name)),
    "the manifest's filter",
  );
  for (const name of names) {
    const what = `the manifest's filter ${name}`;
    const given = filter[name];
    if (BOUNDS.includes(name)) integerFrom(given, 0, what);
    else if (VALUE_FILTERS.includes(name) && Array.isArray(given))
      for (const one of given) textLike(one, FILTER_TEXT, what);
    else textLike(given, FILTER_TEXT, what);
  }
  return names.some((name) => !BOUNDS.includes(name));
}

function readHead(value: JsonValue | undefined): Manifest["head"] {
  const head = exactObject(value, ["sequence_number", "hash"], "the manifest's head");
  return {
    sequenceNumber: integerFrom(head["sequence_number"], 0, "the manifest's head sequence_number"),
    hash: textLike(head["hash"], SHA256, "the manifest's head hash"),
  };
}

function readRange(value: JsonValue | undefined): Manifest["range"] {
  const range = exactObject(value, ["from_sequence", "to_sequence"], "the manifest's range");
  return {
    from: integerFrom(range["from_sequence"], 1, "the manifest's range from_sequence"),
    to: integerFrom(range["to_sequence"], LEAST_END, "the manifest's range to_sequence"),
  };
}

function place(value: JsonValue | undefined, name: "first" | "last"): Place | undefined {
  if (value === null) return undefined;
  const what = `the manifest's ${name}`;
  const object: JsonObject = exactObject(value, ["sequence_number", "hash", "previous_hash"], what);
  return {
    sequenceNumber: integerFrom(object["sequence_number"], 1, `${what} sequence_number`),
    hash: textLike(object["hash"], SHA256, `${what} hash`),
    previousHash: textLike(object["previous_hash"], SHA256, `${what} previous_hash`),
  };
}
