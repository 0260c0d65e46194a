// VerifyChain: recomputes every digest, hash and link of a range and compares the end with the head
// (interface 4.2, docs/hash-chain.md). Appends may go on meanwhile: the range ends at the head that
// was read first. A broken chain is an answer, not an error. A finished verification is put in the
// outbox, once, before it is answered: subscribers are told of it. One whose client went away
// before is not finished.

import { GENESIS_HASH } from "@annals/event";
import {
  type Clock,
  type EventName,
  type InvalidReason,
  type Verification,
  verificationJson,
} from "@annals/contract";
import { complete, internal, invalid } from "@annals/errors";
import type { Notices } from "@annals/messaging";
import type { Database } from "@annals/postgres";
import {
  InvalidReason as ProtoReason,
  type LedgerService,
  type VerifyChainRequest,
  type VerifyChainResponseSchema,
} from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ChainVerifier } from "../domain/chain-verifier.ts";
import type { Metrics } from "../metrics.ts";
import { addToOutbox } from "../store/add-to-outbox.ts";
import { type EndsRow, readEnds } from "../store/read-ends.ts";
import { readRange } from "../store/read-range.ts";
import { BlockChecker } from "../verify/block-checker.ts";
import { type Range, verifyRange } from "../verify/verify-range.ts";

const EVENT_NAME: EventName = "event.verified";

const REASONS: Record<InvalidReason, ProtoReason> = {
  hash_mismatch: ProtoReason.HASH_MISMATCH,
  link_mismatch: ProtoReason.LINK_MISMATCH,
  sequence_gap: ProtoReason.SEQUENCE_GAP,
  digest_mismatch: ProtoReason.DIGEST_MISMATCH,
  head_mismatch: ProtoReason.HEAD_MISMATCH,
};

interface Deps {
  readonly clock: Clock;
  readonly database: Database;
  readonly metrics: Metrics;
  readonly notices: Notices;
}

export function verifyChain(deps: Deps): ServiceImpl<typeof LedgerService>["verifyChain"] {
  const { database } = deps;
  const blocks = new BlockChecker(database);
  return async (request, { signal }) => {
    complete({ account_id: request.accountId });
    const [ends] = await database.run(readEnds, [request.accountId]);
    if (!ends) throw internal("the ends of a chain have no row");
    const head = {
      sequence: Number(ends.head_sequence ?? 0),
      hash: ends.head_hash?.toString("hex") ?? GENESIS_HASH,
    };
    const range = rangeOf(request, head.sequence);
    const standing = { accountId: request.accountId, range, ends };
    const verifier = await verifyStanding({ blocks, database }, standing, signal);
    if (range.to === head.sequence) {
      await compareHead(deps, request.accountId, verifier, { head, ends });
    }
    signal.throwIfAborted();
    const verification: Verification = {
      checked: verifier.checked,
      fromSequence: range.from,
      toSequence: range.to,
      head,
      firstInvalid: verifier.firstInvalid,
      verifiedAt: deps.clock.nowText(),
    };
    await announce(deps, request.accountId, verification);
    deps.metrics.verifications.inc({ result: verifier.firstInvalid ? "invalid" : "valid" });
    return render(verification);
  };
}

/** The entry of the outbox is what the client is answered; the notice after it may be lost. */
async function announce(deps: Deps, accountId: string, result: Verification): Promise<void> {
  const entry = [EVENT_NAME, verificationJson(result), result.verifiedAt] as const;
  const [added] = await deps.database.run(addToOutbox, [accountId, ...entry]);
  if (!added) throw internal("the outbox gave no position");
  deps.notices.notify({ kind: "verifications", accountId, position: BigInt(added.position) });
}

function render(result: Verification): MessageInitShape<typeof VerifyChainResponseSchema> {
  const { firstInvalid, head } = result;
  return {
    valid: firstInvalid === undefined,
    checked: BigInt(result.checked),
    fromSequence: BigInt(result.fromSequence),
    toSequence: BigInt(result.toSequence),
    headSequenceNumber: BigInt(head.sequence),
    headHash: head.hash,
    ...(firstInvalid && {
      firstInvalid: {
        sequenceNumber: BigInt(firstInvalid.sequenceNumber),
        eventId: firstInvalid.eventId ?? "",
        reason: REASONS[firstInvalid.reason],
      },
    }),
    verifiedAt: result.verifiedAt,
  };
}

/** Both ends included. An empty chain has the range 1 to 0. */
function rangeOf({ fromSequence, toSequence }: VerifyChainRequest, head: number): Range {
  const from = fromSequence ?? 1n;
  const to = toSequence ?? BigInt(head);
  if (from < 1n || (fromSequence !== undefined && from > BigInt(head))) {
    throw invalid({ field: "from_sequence", message: `must be from 1 to ${head}, the last event` });
  }
  if (to > BigInt(head) || (toSequence !== undefined && to < from)) {
    throw invalid({
      field: "to_sequence",
      message: `must be from ${from} to ${head}, the last event`,
    });
  }
  return { from: Number(from), to: Number(to) };
}

/**
 * Verifies what stands of the range; where the chain's last row is before the range's end, the tail
 * was cut.
 */
async function verifyStanding(
  deps: Parameters<typeof verifyRange>[0],
  { accountId, range, ends }: { accountId: string; range: Range; ends: EndsRow },
  signal: AbortSignal,
): Promise<ChainVerifier> {
  const to = Math.min(range.to, Number(ends.last_sequence ?? 0));
  const verifier = await verifyRange(deps, accountId, { from: range.from, to }, signal);
  if (to < range.to) verifier.fail(verifier.tip.next, undefined, "head_mismatch");
  return verifier;
}

/**
 * The head has to be the last row, and that row the end of what was verified: else something was
 * added or changed.
 */
async function compareHead(
  { database }: Deps,
  accountId: string,
  verifier: ChainVerifier,
  { head, ends }: { readonly head: { sequence: number; hash: string }; readonly ends: EndsRow },
): Promise<void> {
  if (Number(ends.last_sequence ?? 0) > head.sequence) {
    const beyond = String(head.sequence + 1);
    const [row] = await database.run(readRange, [accountId, beyond, beyond, 1]);
    verifier.fail(head.sequence + 1, row?.id, "head_mismatch");
  } else if (verifier.tip.hash !== head.hash) {
    verifier.fail(head.sequence, ends.last_id ?? undefined, "head_mismatch");
  }
}
