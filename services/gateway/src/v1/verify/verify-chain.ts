// GET /v1/verify (interface 4.2, docs/open-details.md): recomputes the account's chain, or a range of it. A broken chain is
// an answer with `valid: false`, not an error.

import { InvalidReason, type VerifyChainResponse } from "@annals/proto/ledger";
import { Type } from "typebox";
import { dataOf } from "../../render/data.ts";
import { type Route, route } from "../../route.ts";
import type { Deps } from "../../v1.ts";

const REASONS: Record<InvalidReason, string> = {
  [InvalidReason.UNSPECIFIED]: "hash_mismatch",
  [InvalidReason.HASH_MISMATCH]: "hash_mismatch",
  [InvalidReason.LINK_MISMATCH]: "link_mismatch",
  [InvalidReason.SEQUENCE_GAP]: "sequence_gap",
  [InvalidReason.DIGEST_MISMATCH]: "digest_mismatch",
  [InvalidReason.HEAD_MISMATCH]: "head_mismatch",
};

const Sequence = (description: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description,
      "x-annals-open-detail": true,
    }),
  );

const Result = Type.Object({
  valid: Type.Boolean(),
  checked: Type.Integer({ description: "Events that were looked at." }),
  from_sequence: Type.Integer(),
  to_sequence: Type.Integer(),
  head: Type.Object({ sequence_number: Type.Integer(), hash: Type.String() }),
  first_invalid: Type.Union([
    Type.Null(),
    Type.Object({
      sequence_number: Type.Integer(),
      event_id: Type.Union([Type.String(), Type.Null()]),
      reason: Type.Enum([...new Set(Object.values(REASONS))]),
    }),
  ]),
  verified_at: Type.String(),
});

export function verifyChain({ ledger, limits }: Pick<Deps, "ledger" | "limits">): Route {
  return route({
    summary: "Verify the hash chain",
    openDetail: true,
    query: Type.Object(
      {
        from_sequence: Sequence("First event to verify; the chain's first unless told."),
        to_sequence: Sequence("Last event to verify; the chain's last unless told."),
      },
      { additionalProperties: false },
    ),
    success: { status: 200, body: dataOf(Result) },
    handle: async ({ admission, query, signal }) => {
      const request = {
        accountId: admission.accountId,
        ...(query.from_sequence !== undefined && { fromSequence: BigInt(query.from_sequence) }),
        ...(query.to_sequence !== undefined && { toSequence: BigInt(query.to_sequence) }),
      };
      const result = await ledger.verifyChain(request, {
        signal,
        timeoutMs: limits.verifyTimeoutMs,
      });
      return { body: { data: render(result) } };
    },
  });
}

function render(result: VerifyChainResponse) {
  const { firstInvalid } = result;
  return {
    valid: result.valid,
    checked: Number(result.checked),
    from_sequence: Number(result.fromSequence),
    to_sequence: Number(result.toSequence),
    head: { sequence_number: Number(result.headSequenceNumber), hash: result.headHash },
    first_invalid: firstInvalid
      ? {
          sequence_number: Number(firstInvalid.sequenceNumber),
          event_id: firstInvalid.eventId || null,
          reason: REASONS[firstInvalid.reason],
        }
      : null,
    verified_at: result.verifiedAt,
  };
}
