// Finds the keys of a head log that follow those of a policy: an entry of the log names each, under a
// checkpoint that a key of the policy has signed. Called by keys-command.ts. It must never name a key for
// another reason.

import {
  type Checkpoint,
  entryHash,
  parseCheckpoint,
  parseEntry,
  parseNote,
  parseVkey,
  proveInclusion,
  TILE_WIDTH,
  TlogError,
  type VerifierKey,
  verifyInclusion,
  vkeyOf,
  withTiles,
} from "@annals/tlog";
import { setTimeout } from "node:timers/promises";
import { EvidenceFault, NotChecked } from "../evidence/evidence-fault.ts";
import { readPolicy } from "../evidence/trust.ts";
import { logKeys, trustedNote } from "../evidence/trusted-keys.ts";
import { LogTiles } from "./log-tiles.ts";

export interface FollowOptions {
  /** The prefix of the head log, such as https://annals.example.com/log/. */
  readonly url: string;
  /** A policy (c2sp.org/tlog-policy) with a key of the log. */
  readonly policy: Uint8Array;
  /** A checkpoint of the head log that was kept; by default the one that is served. */
  readonly checkpoint?: Uint8Array | undefined;
  /** Resolves after some milliseconds. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

export interface FollowingKey {
  readonly vkey: string;
  /** The epoch whose entry names it, and when that was closed, as the log states it. */
  readonly epoch: number;
  readonly time: string;
}

export interface FollowReport {
  readonly origin: string;
  /** Entries that the checkpoint covers. */
  readonly size: number;
  /** Keys that signed the checkpoint and are not in the policy, oldest first. */
  readonly keys: readonly FollowingKey[];
}

/** The place of an entry that names a key. */
interface Named {
  readonly key: VerifierKey;
  readonly epoch: number;
  readonly time: string;
  readonly text: string;
}

/**
 * Rejects with EvidenceFault if no key of the policy signed the checkpoint, if no entry names a key that
 * signed it, or if an entry is not under it; with NotChecked if something cannot be read.
 */
export async function followKeys(options: FollowOptions): Promise<FollowReport> {
  const policy = readPolicy(options.policy);
  const log = new LogTiles(options.url, options.wait ?? setTimeout);
  const note = Buffer.from(options.checkpoint ?? (await log.checkpoint()));
  const { origin, signatures } = unverified(note);
  const known = logKeys(policy, origin);
  if (known.length === 0) throw new NotChecked("the log of the checkpoint is not in the policy");
  const { checkpoint } = trustedNote(note, known, [], "the checkpoint of the log");
  const unknown = signatures.filter(
    ({ keyId, name }) => name === origin && !known.some((key) => key.id === keyId),
  );
  const wanted = new Set(unknown.map(({ keyId }) => keyId));
  const keys: FollowingKey[] = [];
  for await (const named of namedKeys(log, checkpoint, wanted)) {
    await expectIncluded(log, checkpoint, named);
    const { epoch, key, time } = named;
    keys.unshift({ vkey: vkeyOf(key), epoch, time });
  }
  return { origin, size: checkpoint.size, keys };
}

/** What the note says, before a signature of it is verified. Throws NotChecked. */
function unverified(note: Buffer) {
  try {
    const { signatures, text } = parseNote(String(note));
    return { origin: parseCheckpoint(text).origin, signatures };
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    throw new NotChecked(`the checkpoint of the log cannot be read: ${error.message}`);
  }
}

/** The entries that name the keys with these ids, newest first. Throws EvidenceFault if one is missing. */
async function* namedKeys(
  log: LogTiles,
  { origin, size }: Checkpoint,
  wanted: Set<string>,
): AsyncGenerator<Named> {
  for (let index = Math.ceil(size / TILE_WIDTH) - 1; wanted.size > 0 && index >= 0; index -= 1) {
    const first = index * TILE_WIDTH;
    const entries = await log.entries(index, Math.min(TILE_WIDTH, size - first));
    for (const [at, text] of [...entries.entries()].toReversed()) {
      const named = keyIn(text, first + at + 1);
      if (named?.key.name === origin && wanted.delete(named.key.id)) yield named;
    }
  }
  const [id] = wanted;
  if (id !== undefined)
    throw new EvidenceFault(
      "signature_missing",
      `a key signed the checkpoint that no entry of the log names (${id})`,
    );
}

/** The key that an entry names. Throws NotChecked if the text is not the entry of this epoch. */
function keyIn(text: string, epoch: number): Named | undefined {
  try {
    const entry = parseEntry(text);
    if (entry.epoch !== epoch) throw new TlogError("entry_malformed", "is of another epoch");
    if (entry.kind !== "key") return undefined;
    return { key: parseVkey(entry.key), epoch, time: entry.time, text };
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    throw new NotChecked(`the entry of epoch ${epoch} cannot be read: ${error.message}`);
  }
}

async function expectIncluded(log: LogTiles, { root, size }: Checkpoint, named: Named) {
  const index = named.epoch - 1;
  try {
    const proof = await withTiles(
      size,
      (tile) => log.tile(tile),
      (readNode) => proveInclusion(index, size, readNode),
    );
    verifyInclusion(index, size, entryHash(Buffer.from(named.text)), proof, root);
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    throw new EvidenceFault(
      "inclusion_mismatch",
      `the entry of epoch ${named.epoch} is not under the checkpoint`,
    );
  }
}
