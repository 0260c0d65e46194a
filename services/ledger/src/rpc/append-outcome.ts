// The outcome of one append of a request. Called by create-events.ts and append-events.ts. Every append has
// an outcome of its own: an error of one must never be another's.

import { PARTS } from "@annals/event";
import { AnnalsError, internal, invalid, toProtoError } from "@annals/errors";
import type { Logger } from "@annals/chassis";
import type { Database } from "@annals/postgres";
import type { Append as AppendMessage, AppendOutcomeSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Append, prepareAppend } from "../domain/prepare-append.ts";
import type { Replayed, Stored } from "../domain/plan-flush.ts";
import type { EventRow } from "../store/event-row.ts";
import { readRange } from "../store/read-range.ts";
import type { AppendQueue } from "../append/append-queue.ts";
import { renderEvent } from "./render-event.ts";

/** Appends in one call, and events in one append (docs/open-details.md). */
const MAX_APPENDS = 5_000;
const MAX_EVENTS = 1_000;

const SHA256_BYTES = 32;

/** A part that the client left out. */
const EMPTY = Buffer.from("{}");

export type Outcome = MessageInitShape<typeof AppendOutcomeSchema>;

export interface Deps {
  readonly appends: AppendQueue;
  readonly database: Database;
  readonly log: Logger;
  readonly random: (size: number) => Uint8Array;
}

/** Throws where the request as a whole is malformed. */
export function checkAppends({ length }: readonly AppendMessage[]): void {
  if (length > MAX_APPENDS) {
    throw invalid({ field: "appends", message: `must be at most ${MAX_APPENDS}` });
  }
}

/** Never rejects. */
export async function appendOutcome(deps: Deps, message: AppendMessage): Promise<Outcome> {
  try {
    checkAppend(message);
    const result = await deps.appends.submit(prepareAppend(appendOf(message), deps.random));
    return result.outcome === "stored"
      ? stored(result)
      : await replayed(deps, message.accountId, result);
  } catch (error) {
    return refused(deps, error);
  }
}

function stored(result: Stored): Outcome {
  const { firstSequence, createdAt, ids, hashes } = result;
  const receipt = {
    firstSequenceNumber: BigInt(firstSequence),
    createdAt,
    ids: [...ids],
    hashes: [...hashes],
  };
  return { outcome: { case: "stored", value: receipt } };
}

async function replayed(deps: Deps, accountId: string, result: Replayed): Promise<Outcome> {
  const { firstSequence, eventCount } = result;
  const last = String(firstSequence + eventCount - 1);
  const rows = await deps.database.run(readRange, [
    accountId,
    String(firstSequence),
    last,
    eventCount,
  ]);
  if (rows.length !== eventCount)
    throw internal(`the events of a replay in ${accountId} are not all there`);
  const events = rows.map((row) =>
    renderEvent(row as EventRow, { accountId, includeProof: false }),
  );
  return { outcome: { case: "replayed", value: { events } } };
}

function refused(deps: Deps, error: unknown): Outcome {
  if (!(error instanceof AnnalsError) || error.kind === "internal") {
    deps.log.error({ err: error }, "append failed");
  }
  return { outcome: { case: "refused", value: toProtoError(error) } };
}

function appendOf(message: AppendMessage): Append {
  const { accountId, receivedAt, idempotencyKey, requestSha256, monthlyQuota } = message;
  const { events } = message;
  for (const event of events) {
    for (const part of PARTS) if (event[part].length === 0) event[part] = EMPTY;
  }
  return {
    accountId,
    receivedAt,
    idempotencyKey,
    requestSha256,
    events,
    ...(monthlyQuota !== undefined && { monthlyQuota: Number(monthlyQuota) }),
  };
}

function checkAppend({
  accountId,
  receivedAt,
  events,
  idempotencyKey,
  requestSha256,
}: AppendMessage): void {
  if (accountId === "") throw invalid({ field: "account_id", message: "is required" });
  if (receivedAt === "") throw invalid({ field: "received_at", message: "is required" });
  if (events.length < 1 || events.length > MAX_EVENTS) {
    throw invalid({ field: "events", message: `must hold 1 to ${MAX_EVENTS} events` });
  }
  if (idempotencyKey !== "" && requestSha256.length !== SHA256_BYTES) {
    throw invalid({ field: "request_sha256", message: `must be ${SHA256_BYTES} bytes` });
  }
  for (const [index, { action, occurredAt }] of events.entries()) {
    if (action === "") throw invalid({ field: `events[${index}].action`, message: "is required" });
    if (occurredAt === "")
      throw invalid({ field: `events[${index}].occurred_at`, message: "is required" });
  }
}
