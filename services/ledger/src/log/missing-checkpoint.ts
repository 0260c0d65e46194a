// Checkpoints that keys has signed and the log does not have: the proof that its history went back, or was
// rewritten. Witnesses and the webhook dispatcher keep them. Called by AddAnchor and by the epoch closer. It
// must never take one for a proof that is not signed by a key of the log: any witness can name a size.

import type { Database } from "@annals/postgres";
import {
  type Checkpoint,
  entryHash,
  frontierOf,
  nextEntry,
  parseCheckpoint,
  parseNote,
  splitHashes,
  TlogError,
  verifyNote,
} from "@annals/tlog";
import { getNewestEpoch } from "./store/epochs.ts";
import { forgetMissing, getProposal, type LogRow } from "./store/logs.ts";
import { HeadLog } from "./head-log.ts";
import { verifierKeys } from "./log-keys.ts";

/** Throws TlogError unless a key that signs the log now has signed the note as a checkpoint of this log. */
export function checkpointOf(log: Pick<LogRow, "keys" | "origin">, note: string): Checkpoint {
  const checkpoint = unsignedCheckpointOf(log, note);
  verifyNote(parseNote(note), verifierKeys(log.origin, splitHashes(log.keys)));
  return checkpoint;
}

/** Throws TlogError unless the note says that it is a checkpoint of this log. */
function unsignedCheckpointOf({ origin }: Pick<LogRow, "origin">, note: string): Checkpoint {
  const checkpoint = parseCheckpoint(parseNote(note).text);
  if (checkpoint.origin !== origin)
    throw new TlogError("checkpoint_malformed", "the checkpoint is of another log");
  return checkpoint;
}

/**
 * The checkpoint of the note if the log does not have it, and undefined if it has. One that it has may be
 * from before a rotation, so no key that signs now needs to have signed it. Throws TlogError as checkpointOf.
 */
export async function missingIn(
  database: Database,
  log: LogRow,
  note: string,
): Promise<Checkpoint | undefined> {
  const isThere = await hasCheckpoint(database, log, unsignedCheckpointOf(log, note));
  return isThere ? undefined : checkpointOf(log, note);
}

/** Whether the epochs of the log lead to the checkpoint. */
export async function hasCheckpoint(
  database: Database,
  { log }: LogRow,
  { root, size }: Checkpoint,
): Promise<boolean> {
  if (size === 0) return true;
  const [newest] = await database.run(getNewestEpoch, [log]);
  if (newest === undefined || size > Number(newest.epoch)) return false;
  return (await new HeadLog(database, log).rootOf(size)).equals(root);
}

/**
 * The checkpoint that keeps the log from continuing. Undefined if the log has it, or will have it once its
 * stored proposal is signed again.
 */
export async function missingFrom(
  database: Database,
  log: LogRow,
): Promise<Checkpoint | undefined> {
  if (log.missing === null) return undefined;
  const checkpoint = parseCheckpoint(parseNote(log.missing).text);
  if (await hasCheckpoint(database, log, checkpoint)) {
    await database.run(forgetMissing, [log.log, log.missing]);
    return undefined;
  }
  const [proposal] = await database.run(getProposal, [log.log]);
  if (proposal === undefined || checkpoint.size !== Number(log.size) + 1) return checkpoint;
  const before = frontierOf(Number(log.size), splitHashes(log.frontier));
  const { root } = nextEntry(before, entryHash(Buffer.from(proposal.entry)));
  return root.equals(checkpoint.root) ? undefined : checkpoint;
}
