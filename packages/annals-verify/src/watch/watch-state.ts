// What the watch keeps from one call to the next: the account's checkpoint, the line of the epoch that holds
// it, and how many events were not covered yet. Written atomically, so that a crash leaves the last one.

import { JsonFault, type JsonValue, readJson } from "@annals/event";
import { escapeHidden } from "@annals/event/text";
import { type Checkpoint, MAX_NOTE_BYTES, type Policy } from "@annals/tlog";
import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { BadLine } from "../bad-line.ts";
import { EvidenceFault, NotChecked } from "../evidence/evidence-fault.ts";
import { readHeadLine } from "../evidence/head-line.ts";
import { HeadWalk, type SeenHead } from "../evidence/head-walk.ts";
import { readKnown } from "../evidence/known-checkpoints.ts";
import { anyObject, anyText, exactObject, integerFrom } from "../shape.ts";

/** How many events the account had at a time, in seconds since 1970. */
export interface Watched {
  readonly size: number;
  readonly time: number;
}

export interface WatchState {
  /** The account's checkpoint, as the log signed it. */
  readonly checkpoint: string;
  /** The line of heads.jsonl of the last epoch that was checked. */
  readonly line: JsonValue;
  /** Absent if the checkpoint covered all events. */
  readonly watched: Watched | undefined;
}

/** A state that was verified again under the caller's policy. */
export interface KeptState {
  /** The origin of the head log. */
  readonly origin: string;
  readonly chain: string;
  readonly checkpoint: Checkpoint;
  readonly head: SeenHead;
  /** The line of that head. */
  readonly line: JsonValue;
  readonly watched: Watched | undefined;
}

const MODE = 0o600;
const VERSION = 1;
const MAX_STATE_BYTES = 2 * MAX_NOTE_BYTES + 64 * 1024;
const LIMITS = { maxDepth: 6, maxValues: 4_000 };

/** Undefined if there is no file yet. Throws NotChecked for one that cannot be used. */
export async function readState(path: string, policy: Policy): Promise<KeptState | undefined> {
  const bytes = await readBytes(path);
  if (bytes === undefined) return undefined;
  try {
    const { checkpoint, line, watched } = stateIn(bytes);
    const read = readHeadLine(line);
    const { chain } = read.head;
    const kept = readKnown(Buffer.from(checkpoint), policy, chain);
    const origin = kept.origin.slice(0, -`/${chain}`.length);
    const walk = new HeadWalk({ policy, origin, chain });
    // The head is that of the checkpoint, so no proof leads from one to the other.
    const head = walk.take({ ...read, consistency: [] }, kept, "its line");
    return { origin, chain, checkpoint: kept, head, line, watched };
  } catch (error) {
    if (
      !(
        error instanceof BadLine ||
        error instanceof JsonFault ||
        error instanceof EvidenceFault ||
        error instanceof NotChecked
      )
    )
      throw error;
    throw new NotChecked(`the state cannot be used: ${error.message}`);
  }
}

/** Replaces the file. Throws NotChecked, and then the file is the one before. */
export async function writeState(path: string, state: WatchState): Promise<void> {
  const { checkpoint, line, watched = null } = state;
  const text = JSON.stringify({ v: VERSION, checkpoint, line, watched });
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await using file = await open(draft, "wx", MODE);
    await file.writeFile(`${text}\n`);
    await file.sync();
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw new NotChecked(`the state cannot be written (${codeOf(error)})`);
  }
}

function stateIn(bytes: Buffer): WatchState {
  const state = exactObject(
    readJson(bytes, LIMITS),
    ["v", "checkpoint", "line", "watched"],
    "the state",
  );
  if (state["v"] !== VERSION) throw new BadLine("its version is unknown");
  return {
    checkpoint: anyText(state["checkpoint"], "its checkpoint"),
    line: anyObject(state["line"], "its line"),
    watched: watchedIn(state["watched"]),
  };
}

function watchedIn(value: JsonValue | undefined): Watched | undefined {
  if (value === null) return undefined;
  const watched = exactObject(value, ["size", "time"], "its watched");
  return {
    size: integerFrom(watched["size"], 1, "its size"),
    time: integerFrom(watched["time"], 0, "its time"),
  };
}

/** Undefined if there is no file. */
async function readBytes(path: string): Promise<Buffer | undefined> {
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    if (size > MAX_STATE_BYTES) throw new NotChecked("the state is too large");
    return await file.readFile();
  } catch (error) {
    if (error instanceof NotChecked) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new NotChecked(`the state cannot be read (${codeOf(error)})`);
  }
}

function codeOf(error: unknown): string {
  const { code, message } = error as Partial<NodeJS.ErrnoException>;
  return escapeHidden(code ?? message ?? String(error));
}
