// Stores that a served checkpoint of the head log is locked in a bucket. Called by AddAnchor. The webhook
// dispatcher is believed that it is there and locked; that it is this log's checkpoint is checked.

import { type Clock, parseTimestamp } from "@annals/contract";
import { complete, invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import { createAnchor } from "./store/anchors.ts";
import { type EpochRow, getServingEpoch } from "./store/epochs.ts";

const MAX_BUCKET = 255;
const MAX_VERSION = 1_024;
const MAX_BYTES = 64 * 1024;

/** What the webhook dispatcher says of the object. */
export interface Locked {
  readonly bucket: string;
  readonly version: string;
  readonly retainUntil: string;
  readonly checkpoint: string;
}

/** Resolves to the bucket's name. Throws `invalid` unless it is a copy of a served checkpoint. */
export async function addLockedCheckpoint(
  { clock, database }: { readonly clock: Clock; readonly database: Database },
  log: number,
  { checkpoint, epoch }: EpochRow,
  locked: Locked,
): Promise<string> {
  const { bucket, retainUntil, version } = locked;
  complete({ bucket });
  if (bucket.length > MAX_BUCKET || version.length > MAX_VERSION)
    throw refusal("The names of bucket and version are too long.");
  if (parseTimestamp(retainUntil) !== retainUntil || retainUntil <= clock.nowText())
    throw refusal("It must be locked beyond this moment.");
  if (locked.checkpoint.length > MAX_BYTES || !locked.checkpoint.startsWith(checkpoint))
    throw refusal("What is locked is another checkpoint.");
  const [served] = await database.run(getServingEpoch, [log, epoch]);
  if (served?.epoch !== epoch) throw refusal("The epoch is not served.");
  const object = Buffer.from(JSON.stringify({ retain_until: retainUntil, version }));
  const row = [log, epoch, "bucket", bucket, object, clock.nowMicros() / 1e6] as const;
  await database.run(createAnchor, [...row]);
  return bucket;
}

function refusal(message: string) {
  return invalid({ field: "locked", message });
}
