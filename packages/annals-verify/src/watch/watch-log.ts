// Watches the log of an account from outside: reads the epochs since the last call from the service, verifies
// steps 5 to 7 of the verification for them, and keeps the checkpoint. So the caller becomes an anchor of the
// log. Called by watch-command.ts. It must never replace a kept checkpoint by one that does not continue it.

import { type Checkpoint, type Policy, TlogError, verifyConsistency } from "@annals/tlog";
import type { JsonValue } from "@annals/event";
import { asFault } from "../evidence/bundle-files.ts";
import { EvidenceFault, NotChecked } from "../evidence/evidence-fault.ts";
import { readHeadLine } from "../evidence/head-line.ts";
import { HeadWalk, type SeenHead } from "../evidence/head-walk.ts";
import { readPolicy } from "../evidence/trust.ts";
import { accountKeys, trustedNote } from "../evidence/trusted-keys.ts";
import { DEFAULT_MAX_LAG_S } from "../evidence/verify-evidence.ts";
import { ACCOUNT_ID } from "../shape.ts";
import { checkEpochs, checkWatched } from "./epoch-waits.ts";
import { LogClient } from "./log-client.ts";
import { type KeptState, readState, type Watched, writeState } from "./watch-state.ts";
import { checkViews, readViews, type Views } from "./witness-views.ts";

export interface WatchOptions {
  /** The address of the service, with or without a path. */
  readonly url: string;
  /** An API key with the scope `verify`. */
  readonly apiKey: string;
  /** A policy (c2sp.org/tlog-policy): the logs and witnesses that the caller trusts. */
  readonly policy: Uint8Array;
  /** The file that keeps the checkpoint from one call to the next. */
  readonly state: string;
  /** Whether the witnesses that have an address in the policy are asked, too; true by default. */
  readonly asksWitnesses?: boolean;
  /** Seconds until a quorum has seen an epoch; DEFAULT_MAX_LAG_S by default. */
  readonly maxAnchorLag?: number | undefined;
  /** Seconds since 1970. */
  readonly now?: () => number;
}

export interface WatchReport {
  /** The origin of the head log. */
  readonly origin: string;
  readonly chain: string;
  /** Events of the account, and how many of them a checkpoint covers. */
  readonly events: number;
  readonly covered: number;
  /** The last epoch in which the account's head changed. */
  readonly epoch: number;
  /** When it was closed, as the log states it. */
  readonly closed: string;
  /** Names of witnesses within the policy that have seen it, with seconds since 1970. */
  readonly witnesses: readonly { readonly witness: string; readonly time: number }[];
  readonly witnessesInPolicy: number;
  readonly hasQuorum: boolean;
  /** Epochs that were checked in this call. */
  readonly checked: number;
  /** The last epoch of the call before. */
  readonly before: { readonly origin: string; readonly epoch: number } | undefined;
  /** Names of witnesses that were not read, and why. */
  readonly unread: readonly { readonly witness: string; readonly why: string }[];
  /** Witnesses whose cosignatures count for nothing here. */
  readonly uncounted: readonly string[];
}

/** What the service showed, verified. */
interface Reading {
  readonly note: string;
  readonly checkpoint: Checkpoint;
  /** The head that was kept, and those after it. */
  readonly heads: readonly SeenHead[];
  /** Undefined if the account's head has not changed since. */
  readonly line: JsonValue | undefined;
  readonly checked: number;
  readonly uncounted: ReadonlySet<string>;
}

interface Subject {
  readonly client: LogClient;
  readonly policy: Policy;
  readonly origin: string;
  readonly chain: string;
  readonly kept: KeptState | undefined;
}

const NO_VIEWS: Views = { views: [], unread: [] };
/** An epoch may close while its lines are read. */
const MAX_READINGS = 4;
const MAX_EPOCHS = 200_000;
/** They compare what was read with the checkpoint, which may be newer. */
const READ_AGAIN: readonly string[] = ["consistency_mismatch", "quorum_missing"];

/**
 * Rejects with EvidenceFault for the first fault, and with NotChecked if the service or a file cannot be
 * read. The state is then as it was.
 */
export async function watchLog(options: WatchOptions): Promise<WatchReport> {
  const { maxAnchorLag = DEFAULT_MAX_LAG_S, now = () => Date.now() / 1000 } = options;
  const policy = readPolicy(options.policy);
  const kept = await readState(options.state, policy);
  const client = new LogClient(options.url, options.apiKey);
  const named = accountOf((await client.state()).origin, policy);
  if (kept !== undefined && kept.chain !== named.chain)
    throw new NotChecked(`the state is of another account, ${kept.chain}`);
  const reading = await read({ client, policy, kept, ...named });
  const asks = (options.asksWitnesses ?? true) && policy.witnesses.length > 0;
  const views = asks ? await readViews(policy, named.origin) : NO_VIEWS;
  // Read again, so that it is at least as new as the checkpoint and what the witnesses say.
  const { epoch, size } = await client.state();
  const watched = checkTimes(reading, kept, { size, maxAnchorLag, now: now() });
  checkViews(views, reading.heads, epoch, now());
  if (views.views.length === 0 && views.unread.length > 0)
    throw new NotChecked(`no witness could be read: ${views.unread[0]?.why}`);
  const line = reading.line ?? kept?.line;
  const last = reading.heads.at(-1);
  if (line === undefined || last === undefined) throw new NotChecked("the account is in no epoch");
  await writeState(options.state, { checkpoint: reading.note, line, watched });
  return {
    ...named,
    events: size,
    covered: reading.checkpoint.size,
    epoch: last.epoch,
    closed: last.closed,
    witnesses: last.cosignatures,
    witnessesInPolicy: policy.witnesses.length,
    hasQuorum: policy.quorum !== undefined,
    checked: reading.checked,
    before: kept && { origin: kept.origin, epoch: kept.head.epoch },
    unread: views.unread,
    uncounted: [...reading.uncounted],
  };
}

/** The head log of the policy and the account whose log has this origin. Throws NotChecked. */
function accountOf(origin: string, policy: Policy): { origin: string; chain: string } {
  const at = origin.lastIndexOf("/");
  const named = { origin: origin.slice(0, Math.max(at, 0)), chain: origin.slice(at + 1) };
  const isTrusted = policy.logs.some(({ key }) => key.name === named.origin);
  if (!isTrusted || !ACCOUNT_ID.is.test(named.chain))
    throw new NotChecked("the log of the service is not in the policy");
  return named;
}

/** Reads until the checkpoint is the same before and after. Throws EvidenceFault and NotChecked. */
async function read(subject: Subject): Promise<Reading> {
  let note = await subject.client.checkpoint();
  for (let left = MAX_READINGS; left > 0; left -= 1) {
    try {
      return await readOnce(subject, note);
    } catch (error) {
      if (!(error instanceof EvidenceFault && READ_AGAIN.includes(error.reason))) throw error;
      const next = await subject.client.checkpoint();
      if (next.equals(note)) throw error;
      note = next;
    }
  }
  throw new NotChecked(`the log grew during each of ${MAX_READINGS} readings`);
}

/** Step 7, and step 5 for the epochs after the kept one. */
async function readOnce(subject: Subject, note: Buffer): Promise<Reading> {
  const { chain, kept, origin, policy } = subject;
  const keys = accountKeys(policy, origin, chain);
  const { checkpoint } = trustedNote(note, keys, [], "the checkpoint");
  // Before its epochs: of a log that was set back, this says more than that they are missing.
  await checkKept(subject, checkpoint);
  // A log that follows another one counts its epochs anew.
  const last = kept?.origin === origin ? kept.head : undefined;
  const walk = new HeadWalk({ policy, origin, chain }, last);
  const heads = last === undefined ? [] : [last];
  let line: JsonValue | undefined;
  for await (const given of headLines(subject.client, last?.epoch ?? 0)) {
    const head = asFault("file_malformed", "a line of heads", () => readHeadLine(given));
    heads.push(walk.take(head, checkpoint, `epoch ${head.epoch}`));
    line = given;
  }
  walk.end(checkpoint);
  const checked = heads.length - (last === undefined ? 0 : 1);
  const { uncounted } = walk;
  return { note: note.toString(), checkpoint, heads, line, checked, uncounted };
}

/** The lines of the epochs after one, page by page. */
async function* headLines(client: LogClient, afterEpoch: number): AsyncGenerator<JsonValue> {
  let after = afterEpoch;
  for (let count = 0; count <= MAX_EPOCHS;) {
    const { hasMore, lines } = await client.heads(after);
    yield* lines;
    count += lines.length;
    if (!hasMore) return;
    const { epoch } = (lines.at(-1) ?? {}) as { readonly epoch?: JsonValue };
    // That the epochs rise is checked line by line.
    if (typeof epoch !== "number") throw new NotChecked("the pages of heads do not come to an end");
    after = epoch;
  }
  throw new NotChecked(`there are over ${MAX_EPOCHS} epochs`);
}

/** Step 7: the kept checkpoint is a prefix. Throws EvidenceFault (checkpoint_conflict). */
async function checkKept({ client, kept }: Subject, checkpoint: Checkpoint): Promise<void> {
  if (kept === undefined) return;
  const { size } = kept.checkpoint;
  const what = `the kept checkpoint of ${size} events`;
  if (size > checkpoint.size)
    throw conflict(`the log is older than ${what}: it covers ${checkpoint.size}`);
  const isNewer = size > 0 && size < checkpoint.size;
  const proof = isNewer ? await client.consistency(size, checkpoint.size) : [];
  try {
    verifyConsistency(kept.checkpoint, checkpoint, proof);
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    throw conflict(`the log does not continue ${what}`);
  }
}

/** Step 6. Answers what the next call compares with. */
function checkTimes(
  { checkpoint, heads }: Reading,
  kept: KeptState | undefined,
  { maxAnchorLag, now, size }: { size: number; maxAnchorLag: number; now: number },
): Watched | undefined {
  checkEpochs(heads, maxAnchorLag);
  checkWatched(kept?.watched, heads, size, maxAnchorLag, now);
  if (size < checkpoint.size)
    throw conflict(`the checkpoint covers ${checkpoint.size} events, and now there are ${size}`);
  const isStillOpen = kept?.watched !== undefined && kept.watched.size > checkpoint.size;
  if (isStillOpen) return kept.watched;
  return size > checkpoint.size ? { size, time: Math.floor(now) } : undefined;
}

function conflict(message: string): EvidenceFault {
  return new EvidenceFault("checkpoint_conflict", message);
}
