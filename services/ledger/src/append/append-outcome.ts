// The outcome of one append of a request. Called by rpc/create-events.ts and rpc/append-events.ts. Every
// append has its own outcome: the error of one must never become that of another.

import { SYSTEM_ACCOUNT_ID } from "@annals/contract";
import { AnnalsError, internal, invalid, toProtoError } from "@annals/errors";
import type { Logger } from "@annals/chassis";
import type { Turns, Work } from "@annals/contract";
import type { AdmissionVerifier } from "@annals/rpc";
import type { Pool } from "@annals/postgres";
import type { Append as AppendMessage, AppendOutcomeSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { refuseAuditActions } from "../audit/rules/audit-append.ts";
import { checkAppend } from "./rules/check-append.ts";
import type { ReceiptCheck } from "./rules/receipt-time.ts";
import { type PreparedAppend, prepareAppend } from "./rules/prepare-append.ts";
import type { Replayed, Stored } from "./rules/plan-flush.ts";
import type { EventRow } from "../store/event-row.ts";
import { readRange } from "../store/read-range.ts";
import type { AppendQueue } from "./append-queue.ts";
import { renderEvent } from "../events/render-event.ts";

/** Scope that an append needs, as in access.ts. */
const SCOPE = "events:write";

/** Maximum appends in one call. */
const MAX_APPENDS = 5_000;

export type Outcome = MessageInitShape<typeof AppendOutcomeSchema>;

export interface Deps {
  readonly admissions: Pick<AdmissionVerifier, "verify">;
  readonly appends: AppendQueue;
  readonly checkReceipt: ReceiptCheck;
  readonly database: Pool;
  readonly log: Logger;
  readonly random: (size: number) => Uint8Array;
  readonly turns: Turns;
}

interface Request {
  readonly appends: readonly AppendMessage[];
  readonly admissions: readonly string[];
}

/** Throws if the request as a whole is malformed. */
export function checkAppends({ appends }: Request): void {
  if (appends.length > MAX_APPENDS) {
    throw invalid({ field: "appends", message: `must be at most ${MAX_APPENDS}` });
  }
}

/** Never rejects. */
export async function appendOutcome(
  deps: Deps,
  { admissions }: Request,
  message: AppendMessage,
): Promise<Outcome> {
  try {
    const { accountId, admission } = message;
    const admitted = deps.admissions.verify(admissions[admission] ?? "", {
      accountId,
      scope: SCOPE,
    });
    if (accountId === SYSTEM_ACCOUNT_ID) throw systemAccountReadOnly();
    const prepared = await deps.turns.run(accountId, prepare(message, admitted.keyId, deps));
    const result = await deps.appends.submit(prepared);
    return result.outcome === "stored" ? stored(result) : await replayed(deps, message, result);
  } catch (error) {
    return refused(deps, error);
  }
}

/** Checks and prepares an append, in turns with large appends of other accounts. */
function* prepare(
  message: AppendMessage,
  keyId: string,
  { checkReceipt, random }: Pick<Deps, "checkReceipt" | "random">,
): Work<PreparedAppend> {
  const append = yield* checkAppend(message, keyId);
  const wrongTime = checkReceipt(append.receivedAt);
  if (wrongTime) throw wrongTime;
  refuseAuditActions(append);
  return yield* prepareAppend(append, random);
}

function systemAccountReadOnly(): AnnalsError {
  return new AnnalsError("permission_denied", "Only the ledger can append to the system account.");
}

function stored(result: Stored): Outcome {
  const { firstSequence, createdAt, ids, hashes } = result;
  const receipt = {
    firstSequenceNumber: BigInt(firstSequence),
    createdAt,
    packedIds: Buffer.from(ids.join(""), "latin1"),
    packedHashes: Buffer.from(hashes.join(""), "latin1"),
  };
  return { outcome: { case: "stored", value: receipt } };
}

async function replayed(
  deps: Deps,
  { accountId, isReplayBrief }: AppendMessage,
  result: Replayed,
): Promise<Outcome> {
  if (isReplayBrief) return { outcome: { case: "replayed", value: {} } };
  const { firstSequence, eventCount } = result;
  const last = String(firstSequence + eventCount - 1);
  const rows = await deps.database
    .forAccount(accountId)
    .run(readRange, [accountId, String(firstSequence), last, eventCount]);
  if (rows.length !== eventCount) throw internal(`replayed events of ${accountId} are missing`);
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
