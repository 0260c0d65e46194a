// Writes a bundle of evidence: a tar file with the events, and what proves them with the keys of the log
// alone (docs/exports.md). Called by write-export.ts for each attempt, and by write-archive.ts for what an
// archive has besides its events. Its head was fixed when the export was made, so epochs that come meanwhile
// change nothing, unless an erasure was recorded behind it: then the bundle has that record too, and a later
// head. Events and tiles are never held in memory; the list of the files and the heads of the days are.

import { type EventFilter, EventFilterSchema, type LedgerService } from "@annals/proto/ledger";
import { parseCheckpoint, parseNote, TILE_WIDTH, tilePath, tilesOf } from "@annals/tlog";
import { fromBinary } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { bundleJson, headLine, policyText } from "./rules/bundle.ts";
import type { Metrics } from "../metrics.ts";
import { newestErasure } from "../outbound/newest-erasure.ts";
import { readBundleEvents, readRecordsBehind } from "../outbound/read-bundle-events.ts";
import { AccountLog, type LogReads } from "../outbound/read-log.ts";
import type { TakenRow } from "./store/take-job.ts";
import type { FileWriter } from "./file-writer.ts";
import { TarWriter } from "./tar-writer.ts";

/** Not one covered event matches: another attempt would not find one, either. */
export class NoEvents extends Error {
  override readonly name = "NoEvents";
}

/** The log does not yet cover the record of an erasure that the bundle must have. A later attempt may. */
export class NotCovered extends Error {
  override readonly name = "NotCovered";
}

interface Deps {
  readonly ledger: LogReads & Pick<Client<typeof LedgerService>, "listEvents" | "streamEvents">;
  readonly metrics: Metrics;
}

interface WrittenBundle {
  readonly eventCount: number;
  /** The first bytes of the file. */
  readonly head: Buffer;
}

const SECOND_MS = 1_000;

/** What of an export, or of a piece of an archive, a bundle is made from. */
export type BundleJob = Pick<
  TakenRow,
  "account_id" | "created_at" | "filter" | "filter_json" | "head_hash" | "head_sequence"
>;

/** Rejects with {@link NoEvents} if the bundle would be empty. */
export async function writeBundle(
  { ledger, metrics }: Deps,
  job: BundleJob,
  writer: FileWriter,
  signal: AbortSignal,
): Promise<WrittenBundle> {
  const filter = fromBinary(EventFilterSchema, job.filter);
  const tar = newTar(job, writer);
  const { from, to: end } = rangeOf(filter, job);
  let [eventCount, to] = [0, end];
  const texts = async function* () {
    for await (const { count, through, text } of readAll(ledger, job, filter, signal)) {
      signal.throwIfAborted();
      to = through ?? to;
      eventCount += count;
      metrics.events.inc(count);
      yield text;
    }
  };
  const head = await tar.addFirst("events.jsonl", texts());
  if (eventCount === 0) throw new NoEvents("the log covers no event that matches the filter");
  await addEvidence(tar, { ledger, job, range: { from, end, to } }, signal);
  return { eventCount, head };
}

export function newTar({ created_at: createdAt }: BundleJob, writer: FileWriter): TarWriter {
  return new TarWriter(writer, Math.floor(Date.parse(createdAt) / SECOND_MS));
}

interface Evidence {
  readonly ledger: LogReads;
  readonly job: BundleJob;
  readonly range: { readonly from: bigint; readonly end: bigint; readonly to: bigint };
  /** The text of the events, if another file has them. */
  readonly events?: { readonly sha256: string; readonly size: number };
}

/** Adds everything but the events. */
export async function addEvidence(
  tar: TarWriter,
  { events, job, ledger, range }: Evidence,
  signal: AbortSignal,
): Promise<void> {
  const covered = await coveredHead(ledger, job, range.to, signal);
  const log = new AccountLog(ledger, job.account_id, covered.size, signal);
  const checkpoint = await log.checkpoint();
  const origin = originOf(checkpoint, job, covered);
  await tar.add("checkpoint", Buffer.from(checkpoint));
  await addTiles(tar, log, { from: Number(range.from), size: Number(covered.size) });
  await addHeads(tar, log);
  const { policy, vkeys } = await log.operator();
  await tar.add("policy", Buffer.from(policyText(policy, vkeys)));
  const { account_id: chain, created_at: createdAt, filter_json: filterJson } = job;
  const bundle = { origin, chain, createdAt, filterJson, ...range, files: tar.files, events };
  await tar.add("bundle.json", Buffer.from(bundleJson(bundle)));
  await tar.finish();
}

interface Read {
  readonly count: number;
  readonly text: Uint8Array;
  /** The last event that may be in the bundle, if that is behind its range. */
  readonly through?: bigint;
}

/** The events of the range and, if some of them have erased parts, the records behind the range. */
async function* readAll(
  ledger: Deps["ledger"],
  job: BundleJob,
  filter: EventFilter,
  signal: AbortSignal,
): AsyncGenerator<Read> {
  const selection = { accountId: job.account_id, filter };
  let hasErased = false;
  for await (const records of readBundleEvents(ledger, selection, signal)) {
    hasErased ||= records.hasErased;
    yield records;
  }
  if (!hasErased) return;
  const behind = { accountId: job.account_id, afterSequence: rangeOf(filter, job).to };
  const newest = await newestErasure(ledger, behind, signal);
  if (newest === undefined) return;
  const through = newest.sequenceNumber;
  for await (const records of readRecordsBehind(ledger, selection, through, signal))
    yield { ...records, through };
}

interface CoveredHead {
  readonly size: bigint;
  /** In hexadecimal. */
  readonly root: string;
}

/** The head of the job, or the newest one if the bundle has a record behind that of the job. */
async function coveredHead(
  ledger: LogReads,
  job: BundleJob,
  to: bigint,
  signal: AbortSignal,
): Promise<CoveredHead> {
  const size = BigInt(job.head_sequence);
  if (to <= size) return { size, root: job.head_hash };
  const { checkpoint } = await ledger.readCheckpoint({ accountId: job.account_id }, { signal });
  const newest = parseCheckpoint(parseNote(checkpoint).text);
  if (BigInt(newest.size) < to)
    throw new NotCovered(`the log does not cover the record of an erasure, event ${to}, yet`);
  return { size: BigInt(newest.size), root: newest.root.toString("hex") };
}

/** The name of the head log. Throws if the tree of the account is another one than it was. */
function originOf(checkpoint: string, job: BundleJob, head: CoveredHead): string {
  const { origin, root, size } = parseCheckpoint(parseNote(checkpoint).text);
  const end = `/${job.account_id}`;
  const isSame = BigInt(size) === head.size && root.toString("hex") === head.root;
  if (!isSame || !origin.endsWith(end))
    throw new Error(
      "the account's log has another head of this size than when the export was made",
    );
  return origin.slice(0, -end.length);
}

function rangeOf({ afterSequence, beforeSequence }: EventFilter, job: BundleJob) {
  const to = (beforeSequence ?? BigInt(job.head_sequence) + 1n) - 1n;
  return { from: (afterSequence ?? 0n) + 1n, to };
}

/** All tiles, but of level 0 only those from the hash on that the first event links to. */
async function addTiles(
  tar: TarWriter,
  log: AccountLog,
  { from, size }: { readonly from: number; readonly size: number },
): Promise<void> {
  const first = Math.floor(Math.max(0, from - 2) / TILE_WIDTH);
  for (const tile of tilesOf(size))
    if (tile.level > 0 || tile.index >= first) await tar.add(tilePath(tile), await log.tile(tile));
}

/** The lines are held until the last one: one for each day, some kilobytes each. */
async function addHeads(tar: TarWriter, log: AccountLog): Promise<void> {
  const lines: string[] = [];
  const stamps = new Map<bigint, { readonly checkpoint: string; readonly token: Uint8Array }>();
  for await (const head of log.heads()) {
    lines.push(headLine(head));
    if (head.timeStamp !== undefined) stamps.set(head.timeStamp.size, head.timeStamp);
  }
  await tar.add("heads.jsonl", Buffer.from(lines.join("")));
  for (const [size, { checkpoint, token }] of stamps) {
    await tar.add(`timestamps/${size}.tsr`, token);
    await tar.add(`timestamps/${size}.checkpoint`, Buffer.from(checkpoint));
  }
}
