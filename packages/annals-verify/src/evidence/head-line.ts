// Reads one line of heads.jsonl: what an epoch of the head log says of the account, with its proofs. Called
// for the lines of a bundle and for the pages of GET /v1/log/heads. It only reads: head-walk.ts verifies.

import { canonicalJson, type JsonObject, type JsonValue, readJson } from "@annals/event";
import { type Head, MAX_MAP_DEPTH, MAX_PROOF_HASHES } from "@annals/tlog";
import { BadLine } from "../bad-line.ts";
import { anyText, exactObject, integerFrom, SHA256, textLike, TIME } from "../shape.ts";

export interface HeadLine {
  readonly epoch: number;
  readonly entry: string;
  readonly entryKind: string;
  readonly entryEpoch: number;
  /** When the epoch was closed, as the log states it. */
  readonly entryTime: string;
  /** Root of the map of heads, from the entry. */
  readonly map: Buffer;
  readonly head: Head;
  readonly path: readonly Buffer[];
  readonly checkpoint: string;
  readonly inclusion: readonly Buffer[];
  readonly consistency: readonly Buffer[];
}

/** Bounds of the JSON of a line. */
export const HEAD_LIMITS = { maxDepth: 4, maxValues: 2_000 };
const MEMBERS = ["epoch", "entry", "head", "path", "checkpoint", "inclusion", "consistency"];

/** Throws BadLine, and JsonFault for an entry that is not JSON. */
export function readHeadLine(value: JsonValue): HeadLine {
  const line = exactObject(value, MEMBERS, "the line");
  const head = exactObject(line["head"], ["chain", "root", "size", "v"], "the head");
  expectVersion(head, "the head");
  return {
    epoch: integerFrom(line["epoch"], 1, "its epoch"),
    ...readEntry(anyText(line["entry"], "its entry")),
    head: {
      chain: anyText(head["chain"], "the head's chain"),
      root: Buffer.from(textLike(head["root"], SHA256, "the head's root"), "hex"),
      size: integerFrom(head["size"], 0, "the head's size"),
    },
    path: readHashes(line["path"], MAX_MAP_DEPTH, "its path"),
    checkpoint: anyText(line["checkpoint"], "its checkpoint"),
    inclusion: readHashes(line["inclusion"], MAX_PROOF_HASHES, "its inclusion"),
    consistency: readHashes(line["consistency"], MAX_PROOF_HASHES, "its consistency"),
  };
}

function readEntry(text: string) {
  const value = readJson(Buffer.from(text), HEAD_LIMITS);
  if (canonicalJson(value) !== text) throw new BadLine("the entry is not canonical JSON");
  const entry = exactObject(value, ["epoch", "heads", "kind", "time", "v"], "the entry");
  expectVersion(entry, "the entry");
  return {
    entry: text,
    entryKind: anyText(entry["kind"], "the entry's kind"),
    entryEpoch: integerFrom(entry["epoch"], 1, "the entry's epoch"),
    entryTime: textLike(entry["time"], TIME, "the entry's time"),
    map: Buffer.from(textLike(entry["heads"], SHA256, "the entry's heads"), "hex"),
  };
}

/** Throws BadLine unless the value is a list of at most `most` hashes. */
export function readHashes(value: JsonValue | undefined, most: number, what: string): Buffer[] {
  if (!Array.isArray(value) || value.length > most)
    throw new BadLine(`${what} is not a list of at most ${most} hashes`);
  return value.map((hash) => Buffer.from(textLike(hash, SHA256, what), "hex"));
}

function expectVersion(object: JsonObject, what: string): void {
  if (object["v"] !== 1) throw new BadLine(`the version of ${what} is unknown`);
}
