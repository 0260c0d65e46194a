// GET /v1/verify (interface 7): recomputes the account's chain, or a range
// of it. A broken chain is a response with `valid: false`, not an error.

import { type InvalidReason, verificationJson } from "@annals/contract";
import { InvalidReason as ProtoReason, type VerifyChainResponse } from "@annals/proto/ledger";
import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { CLOSED, openDetail } from "../render/schema.ts";
import { VerificationBody } from "./render-verification.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const REASONS: Record<ProtoReason, InvalidReason> = {
  [ProtoReason.UNSPECIFIED]: "hash_mismatch",
  [ProtoReason.HASH_MISMATCH]: "hash_mismatch",
  [ProtoReason.LINK_MISMATCH]: "link_mismatch",
  [ProtoReason.SEQUENCE_GAP]: "sequence_gap",
  [ProtoReason.DIGEST_MISMATCH]: "digest_mismatch",
  [ProtoReason.HEAD_MISMATCH]: "head_mismatch",
  [ProtoReason.TREE_MISMATCH]: "tree_mismatch",
  [ProtoReason.ERASURE_UNRECORDED]: "erasure_unrecorded",
};

const Sequence = (description: string, example: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description,
      examples: [example],
      ...openDetail("verify-range"),
    }),
  );

export function verifyChain({ ledger, limits }: Pick<Deps, "ledger" | "limits">): Route {
  return route({
    summary: "Verify the hash chain",
    feature: "verify",
    query: Type.Object(
      {
        from_sequence: Sequence(
          "First event to verify. Default: the first event that retention has left.",
          1,
        ),
        to_sequence: Sequence("Last event to verify. Default: the chain's last event.", 42),
      },
      CLOSED,
    ),
    success: { status: 200, body: dataOf(VerificationBody) },
    handle: async ({ admission, query, signal }) => {
      const request = {
        accountId: admission.accountId,
        ...(query.from_sequence !== undefined && { fromSequence: BigInt(query.from_sequence) }),
        ...(query.to_sequence !== undefined && { toSequence: BigInt(query.to_sequence) }),
      };
      const result = await ledger.verifyChain(request, {
        ...admittedBy(admission, signal),
        timeoutMs: limits.verifyTimeoutMs,
      });
      return { body: `{"data":${render(result)}}` };
    },
  });
}

function render(result: VerifyChainResponse): string {
  const { firstInvalid } = result;
  return verificationJson({
    checked: Number(result.checked),
    fromSequence: Number(result.fromSequence),
    toSequence: Number(result.toSequence),
    erasedParts: Number(result.erasedParts),
    retainedFrom: Number(result.retainedFrom),
    head: { sequence: Number(result.headSequenceNumber), hash: result.headHash },
    firstInvalid: firstInvalid && {
      sequenceNumber: Number(firstInvalid.sequenceNumber),
      eventId: firstInvalid.eventId || undefined,
      reason: REASONS[firstInvalid.reason],
    },
    covered: result.covered && {
      sequenceNumber: Number(result.covered.size),
      epoch: Number(result.covered.epoch),
      time: result.covered.time,
      witnesses: result.covered.witnesses,
    },
    verifiedAt: result.verifiedAt,
  });
}
