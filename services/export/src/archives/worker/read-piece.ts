// Reads the events of a piece of an archive from the ledger, and behind its range the records of erasures if
// a part is erased. Called by archives.ts. It must never let a piece be taken for whole that lacks an event:
// retention deletes what is archived.

import { EventFilterSchema } from "@annals/proto/ledger";
import { create } from "@bufbuild/protobuf";
import { readErasureRecords } from "../../outbound/erasure-records.ts";
import { readEvents } from "../../outbound/read-events.ts";
import type { ArchiveRow } from "../store/archives.ts";
import type { ArchiveDeps, ArchiveEvents } from "./write-archive.ts";

export function readPiece(
  ledger: ArchiveDeps["ledger"],
  row: ArchiveRow,
  signal: AbortSignal,
): ArchiveEvents {
  const { account_id: accountId } = row;
  const [from, to] = [BigInt(row.from_sequence), BigInt(row.to_sequence)];
  const range = { afterSequence: from - 1n, beforeSequence: to + 1n };
  const filter = create(EventFilterSchema, range);
  let last = to;
  const texts = async function* () {
    const selection = { accountId, filter, format: "jsonl", includeProof: true } as const;
    let count = 0n;
    let hasErased = false;
    for await (const page of readEvents(ledger, selection, signal)) {
      count += BigInt(page.count);
      hasErased ||= page.hasErased;
      yield page.text;
    }
    if (count !== to - from + 1n) throw new Error("the ledger has left out events of an archive");
    if (!hasErased) return;
    const records = { accountId, after: to, includeProof: true };
    for await (const page of readErasureRecords(ledger, records, signal)) {
      last = page.last.sequenceNumber;
      yield page.text;
    }
  };
  return { texts: texts(), last: () => last };
}
