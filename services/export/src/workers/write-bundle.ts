// Writes a bundle of evidence: a tar file with the events, and what proves them with the keys of the log
// alone (docs/exports.md). Called by write-export.ts for each attempt. Its head was fixed when the export was
// made, so epochs that come meanwhile change nothing. Events and tiles are never held in memory; the list of
// the files and the heads of the days are.

import { type EventFilter, EventFilterSchema, type LedgerService } from "@annals/proto/ledger";
import { parseCheckpoint, parseNote, TILE_WIDTH, tilePath, tilesOf } from "@annals/tlog";
import { fromBinary } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { bundleJson, headLine, policyText } from "../domain/bundle.ts";
import type { Metrics } from "../metrics.ts";
import { readBundleEvents } from "../outbound/read-bundle-events.ts";
import { AccountLog, type LogReads } from "../outbound/read-log.ts";
import type { TakenRow } from "../store/take-job.ts";
import type { FileWriter } from "./file-writer.ts";
import { TarWriter } from "./tar-writer.ts";

/** Not one covered event matches: another attempt would not find one, either. */
export class NoEvents extends Error {
  override readonly name = "NoEvents";
}

interface Deps {
  readonly ledger: LogReads & Pick<Client<typeof LedgerService>, "streamEvents">;
  readonly metrics: Metrics;
}

interface WrittenBundle {
  readonly eventCount: number;
  /** The first bytes of the file. */
  readonly head: Buffer;
}

const SECOND_MS = 1_000;

/** Rejects with {@link NoEvents} if the bundle would be empty. */
export async function writeBundle(
  { ledger, metrics }: Deps,
  job: TakenRow,
  writer: FileWriter,
  signal: AbortSignal,
): Promise<WrittenBundle> {
  const filter = fromBinary(EventFilterSchema, job.filter);
  const log = new AccountLog(ledger, job.account_id, BigInt(job.head_sequence), signal);
  const checkpoint = await log.checkpoint();
  const origin = originOf(checkpoint, job);
  const tar = new TarWriter(writer, Math.floor(Date.parse(job.created_at) / SECOND_MS));
  let eventCount = 0;
  const texts = async function* () {
    const selection = { accountId: job.account_id, filter };
    for await (const { count, text } of readBundleEvents(ledger, selection, signal)) {
      signal.throwIfAborted();
      eventCount += count;
      metrics.events.inc(count);
      yield text;
    }
  };
  const head = await tar.addFirst("events.jsonl", texts());
  if (eventCount === 0) throw new NoEvents("the log covers no event that matches the filter");
  await tar.add("checkpoint", Buffer.from(checkpoint));
  const { from, to } = rangeOf(filter, job);
  await addTiles(tar, log, { from: Number(from), size: Number(job.head_sequence) });
  await addHeads(tar, log);
  const { policy, vkeys } = await log.operator();
  await tar.add("policy", Buffer.from(policyText(policy, vkeys)));
  const { account_id: chain, created_at: createdAt, filter_json: filterJson } = job;
  const bundle = { origin, chain, createdAt, filterJson, from, to, files: tar.files };
  await tar.add("bundle.json", Buffer.from(bundleJson(bundle)));
  await tar.finish();
  return { eventCount, head };
}

/** The name of the head log. Throws if the tree of the account is another one than it was. */
function originOf(checkpoint: string, job: TakenRow): string {
  const { origin, root, size } = parseCheckpoint(parseNote(checkpoint).text);
  const end = `/${job.account_id}`;
  const isSame = String(size) === job.head_sequence && root.toString("hex") === job.head_hash;
  if (!isSame || !origin.endsWith(end))
    throw new Error(
      "the account's log has another head of this size than when the export was made",
    );
  return origin.slice(0, -end.length);
}

function rangeOf({ afterSequence, beforeSequence }: EventFilter, job: TakenRow) {
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
