// VerifyChain: recomputes every digest, hash and link of a range and compares the end with the head
// (interface 7, docs/hash-chain.md). A finished verification is added to the outbox, once, before it is
// sent: subscribers are notified of it. If the client disconnects before that, the verification is not
// finished. The filter index is compared only if the range is short: it takes as long again, and the
// scheduled verification does it for every chain.

import {
  type Clock,
  type EventName,
  type InvalidReason,
  type Verification,
  verificationJson,
} from "@annals/contract";
import { AnnalsError, complete } from "@annals/errors";
import type { Notices } from "@annals/messaging";
import type { Pool } from "@annals/postgres";
import {
  InvalidReason as ProtoReason,
  type LedgerService,
  type VerifyChainResponseSchema,
} from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { coveredBy, renderCovered } from "../../log/covered-by.ts";
import type { Metrics } from "../../metrics.ts";
import { OUTBOX } from "../../store/outbox.ts";
import type { BlockChecker } from "../block-checker.ts";
import { verifyChain as verify } from "../verify-chain.ts";

const EVENT_NAME: EventName = "event.verified";

const REASONS: Record<InvalidReason, ProtoReason> = {
  hash_mismatch: ProtoReason.HASH_MISMATCH,
  link_mismatch: ProtoReason.LINK_MISMATCH,
  sequence_gap: ProtoReason.SEQUENCE_GAP,
  digest_mismatch: ProtoReason.DIGEST_MISMATCH,
  head_mismatch: ProtoReason.HEAD_MISMATCH,
  tree_mismatch: ProtoReason.TREE_MISMATCH,
  erasure_unrecorded: ProtoReason.ERASURE_UNRECORDED,
};

/** Maximum events of a range whose filter index is compared, too (docs/interface.md). */
const INDEX_MAX_EVENTS = 100_000;

interface Deps {
  readonly blocks: BlockChecker;
  readonly clock: Clock;
  readonly database: Pool;
  readonly metrics: Metrics;
  readonly notices: Notices;
}

export function verifyChain(deps: Deps): ServiceImpl<typeof LedgerService>["verifyChain"] {
  const { blocks, clock, metrics } = deps;
  return async (request, { signal }) => {
    complete({ account_id: request.accountId });
    const database = deps.database.forAccount(request.accountId, signal);
    const asked = { ...request, indexUpTo: INDEX_MAX_EVENTS };
    const verified = await verify({ blocks, database }, asked, signal).catch((error) => {
      if (error instanceof AnnalsError && error.kind === "internal")
        metrics.verifications.inc({ result: "refused" });
      throw error;
    });
    const covered = await coveredBy(database, request.accountId);
    const verification = { ...verified, covered, verifiedAt: clock.nowText() };
    await announce(deps, request.accountId, verification);
    metrics.verifications.inc({ result: verification.firstInvalid ? "invalid" : "valid" });
    return render(verification);
  };
}

/** Adds the client's response to the outbox; the notice that follows may be lost. */
async function announce(
  { database, notices }: Deps,
  accountId: string,
  result: Verification,
): Promise<void> {
  const data = verificationJson(result);
  const entry = { accountId, eventName: EVENT_NAME, data, createdAt: result.verifiedAt };
  const position = await database
    .forAccount(accountId)
    .transaction((transaction) => OUTBOX.add(transaction, entry));
  notices.notify({ kind: "verifications", accountId, position });
}

function render(result: Verification): MessageInitShape<typeof VerifyChainResponseSchema> {
  const { firstInvalid, head } = result;
  return {
    valid: firstInvalid === undefined,
    checked: BigInt(result.checked),
    fromSequence: BigInt(result.fromSequence),
    toSequence: BigInt(result.toSequence),
    erasedParts: BigInt(result.erasedParts),
    retainedFrom: BigInt(result.retainedFrom),
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
    ...(result.covered && { covered: renderCovered(result.covered) }),
  };
}
