// The rules of what keys signs of a log: an epoch that continues the head that was signed last, and the
// checkpoint of an account whose head is in such an epoch. Called by sign-epoch.ts and sign-checkpoint.ts.

import { LOG_CHAIN, LOG_ORIGIN } from "@annals/contract";
import { invalid, unavailable } from "@annals/errors";
import {
  EMPTY_ROOT,
  entryHash,
  HASH_BYTES,
  type Head,
  KEY_TYPE,
  type LogEntry,
  MAX_ENTRY_BYTES,
  MAX_MAP_DEPTH,
  MAX_PROOF_HASHES,
  parseEntry,
  parseHeadRecord,
  parseVkey,
  TlogError,
  verifyConsistency,
  verifyHead,
  verifyInclusion,
} from "@annals/tlog";
import type { SignedHead } from "./signed-heads.ts";

/** A chain, a root and a size. */
const MAX_HEAD_BYTES = 512;

interface InLog {
  readonly origin: string;
  /** Canonical JSON. */
  readonly entry: string;
  readonly size: bigint;
  readonly root: Uint8Array;
  readonly inclusion: readonly Uint8Array[];
}

export interface EpochRequest extends InLog {
  readonly oldSize: bigint;
  readonly consistency: readonly Uint8Array[];
}

export interface CheckpointRequest extends InLog {
  /** The record of a head in canonical JSON. */
  readonly head: string;
  readonly path: readonly Uint8Array[];
}

export interface Epoch {
  readonly origin: string;
  readonly entry: LogEntry;
  readonly head: SignedHead;
  readonly oldSize: number;
  readonly consistency: readonly Buffer[];
}

export interface AccountCheckpoint {
  readonly origin: string;
  readonly logHead: SignedHead;
  readonly head: Head;
}

/** Whether the request names an entry by its place, and proves it in its head. Throws `invalid`. */
export function checkEpoch(request: EpochRequest): Epoch {
  const { entry, head } = checkEntry(request);
  if (entry.epoch !== head.size)
    throw invalid({ field: "entry", message: "must be the last entry of the log of this size" });
  const oldSize = sizeOf("old_size", request.oldSize);
  // Each entry is read before it is signed: none may hide between two heads.
  if (head.size !== oldSize + 1)
    throw invalid({ field: "size", message: "must be one more than old_size" });
  const consistency = hashesOf("consistency", request.consistency, MAX_PROOF_HASHES);
  return { origin: request.origin, entry, head, oldSize, consistency };
}

/** Throws `invalid` unless the epoch's log begins with the head that was signed last. */
export function requireContinues(signed: SignedHead | undefined, epoch: Epoch): void {
  const from = signed ?? { size: 0, root: EMPTY_ROOT };
  named("consistency", () => verifyConsistency(from, epoch.head, epoch.consistency));
}

/**
 * Throws for an entry that names a key which is not the log's own: `unavailable` if it may be in the file of
 * another process, or soon in that of this one.
 */
export function requireOwnKey({ entry, origin }: Epoch, publicKeys: readonly Buffer[]): void {
  if (entry.kind !== "key") return;
  const { name, publicKey, type } = named("entry", () => parseVkey(entry.key));
  if (name !== origin || type !== KEY_TYPE.ed25519)
    throw invalid({ field: "entry", message: "must name a key of this log" });
  if (!publicKeys.some((key) => key.equals(publicKey)))
    throw unavailable("The key that the entry names is not in ANNALS_LOG_KEY_FILE.");
}

/** What is known of the logs when an epoch is to be signed. */
interface Known {
  readonly own: SignedHead | undefined;
  readonly succeededBy: string | undefined;
  readonly before: { readonly origin: string; readonly signed: SignedHead } | undefined;
}

/**
 * Throws `invalid` unless the epoch may follow what was signed. A log continues until another one succeeds
 * it. The first log begins with any entry, every other one with an entry that names the log before it, with
 * a head that is not behind what was signed.
 */
export function requireMayFollow(epoch: Epoch, { before, own, succeededBy }: Known): void {
  const { entry, origin } = epoch;
  if (succeededBy !== undefined)
    throw invalid({ field: "origin", message: `must be ${succeededBy}, which has succeeded it` });
  if (own !== undefined) {
    if (entry.kind !== "succeeds") return;
    throw invalid({ field: "entry", message: "must not succeed a log: it is not the first" });
  }
  if (before !== undefined) requireSucceeds(origin, entry, before);
}

function requireSucceeds(
  origin: string,
  entry: LogEntry,
  before: { readonly origin: string; readonly signed: SignedHead },
): void {
  if (entry.kind !== "succeeds" || entry.origin !== before.origin)
    throw invalid({
      field: "origin",
      message: `must be ${before.origin}, or the first entry of ${origin} must succeed that log`,
    });
  const { root, size } = before.signed;
  if (entry.size < size || (entry.size === size && !entry.root.equals(root)))
    throw invalid({
      field: "entry",
      message: `must name a head of ${before.origin} that is not behind size ${size}`,
    });
}

/** Whether the request proves a head of an account in an epoch under the log's head. Throws `invalid`. */
export function checkCheckpoint(request: CheckpointRequest): AccountCheckpoint {
  const { entry, head: logHead } = checkEntry(request);
  if (entry.kind !== "heads")
    throw invalid({ field: "entry", message: "must be of the kind heads" });
  if (Buffer.byteLength(request.head) > MAX_HEAD_BYTES)
    throw invalid({ field: "head", message: `must have at most ${MAX_HEAD_BYTES} bytes` });
  const head = named("head", () => parseHeadRecord(request.head));
  if (!LOG_CHAIN.test(head.chain))
    throw invalid({ field: "head", message: "must be of an account" });
  const path = hashesOf("path", request.path, MAX_MAP_DEPTH);
  named("path", () => verifyHead(entry.heads, head, path));
  return { origin: request.origin, logHead, head };
}

function checkEntry(request: InLog): { readonly entry: LogEntry; readonly head: SignedHead } {
  const { origin } = request;
  checkOrigin(origin);
  if (Buffer.byteLength(request.entry) > MAX_ENTRY_BYTES)
    throw invalid({ field: "entry", message: `must have at most ${MAX_ENTRY_BYTES} bytes` });
  const entry = named("entry", () => parseEntry(request.entry));
  const size = sizeOf("size", request.size);
  const root = hashOf("root", request.root);
  const inclusion = hashesOf("inclusion", request.inclusion, MAX_PROOF_HASHES);
  const leaf = entryHash(Buffer.from(request.entry));
  named("inclusion", () => verifyInclusion(entry.epoch - 1, size, leaf, inclusion, root));
  return { entry, head: { size, root } };
}

export function checkOrigin(origin: string): void {
  if (!LOG_ORIGIN.test(origin))
    throw invalid({ field: "origin", message: "must be the origin of a head log" });
}

function sizeOf(field: string, size: bigint): number {
  if (size > BigInt(Number.MAX_SAFE_INTEGER))
    throw invalid({ field, message: `must be at most ${Number.MAX_SAFE_INTEGER}` });
  return Number(size);
}

function hashOf(field: string, hash: Uint8Array): Buffer {
  if (hash.length !== HASH_BYTES) throw invalid({ field, message: `must be ${HASH_BYTES} bytes` });
  return Buffer.from(hash);
}

function hashesOf(field: string, hashes: readonly Uint8Array[], most: number): Buffer[] {
  if (hashes.length > most) throw invalid({ field, message: `must have at most ${most} items` });
  return hashes.map((hash, index) => hashOf(`${field}[${index}]`, hash));
}

/** Names the field whose proof or text is wrong. */
function named<T>(field: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof TlogError) throw invalid({ field, message: error.message });
    throw error;
  }
}
