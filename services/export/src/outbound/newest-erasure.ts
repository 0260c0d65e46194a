// Finds the newest record of an erasure behind a range that was read. Each erased part that was read has its
// record by then, because both are stored in one transaction. Called by the writers of files, after the last
// event of the range.

import { ERASURE } from "@annals/event";
import { EventFilterSchema } from "@annals/proto/ledger";
import { create } from "@bufbuild/protobuf";
import type { EventPosition } from "../domain/manifest.ts";
import { readEvents } from "./read-events.ts";

interface Behind {
  readonly accountId: string;
  readonly afterSequence: bigint;
}

/** Undefined if no erasure is recorded after that number. */
export async function newestErasure(
  ledger: Parameters<typeof readEvents>[0],
  { accountId, afterSequence }: Behind,
  signal: AbortSignal,
): Promise<EventPosition | undefined> {
  const filter = create(EventFilterSchema, { action: ERASURE, afterSequence });
  const selection = { accountId, filter, format: "jsonl", includeProof: false } as const;
  let newest: EventPosition | undefined;
  for await (const { last } of readEvents(ledger, selection, signal)) newest = last;
  return newest;
}
