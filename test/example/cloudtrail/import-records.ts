// The import itself: batches with idempotency keys, in order, one after the other. Called by
// main.ts and by its test. It must never send a batch without a key: an answer that is lost would
// leave doubt, and a second run would add everything again.

import { hash } from "node:crypto";
import type { Client } from "./client.ts";
import { mapRecord } from "./map-record.ts";
import type { CloudTrailRecord } from "./record.ts";

/** Events in one request: 20 requests for the sample, a fifth of a key's minute. */
const BATCH_SIZE = 100;

export interface Imported {
  /** Events stored by this run, and by an earlier one. */
  readonly added: number;
  readonly known: number;
}

/** Sends all records in order. `onProgress` gets their number after each batch. */
export async function importRecords(
  client: Client,
  records: readonly CloudTrailRecord[],
  onProgress: (done: number) => void,
): Promise<Imported> {
  let added = 0;
  let known = 0;
  for (let at = 0; at < records.length; at += BATCH_SIZE) {
    const events = records.slice(at, at + BATCH_SIZE).map(mapRecord);
    const body = JSON.stringify({ events });
    const key = `cloudtrail-${hash("sha256", body)}`;
    const { replayed } = await client.post("/v1/events/batch", body, key);
    if (replayed) known += events.length;
    else added += events.length;
    onProgress(at + events.length);
  }
  return { added, known };
}
