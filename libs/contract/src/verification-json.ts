// The result of a verification as JSON (docs/interface.md): what GET /v1/verify returns and what
// event.verified carries.

export const INVALID_REASONS = [
  "hash_mismatch",
  "link_mismatch",
  "sequence_gap",
  "digest_mismatch",
  "head_mismatch",
  "tree_mismatch",
  "erasure_unrecorded",
] as const;

export type InvalidReason = (typeof INVALID_REASONS)[number];

export interface CoveredEvents {
  /** The last event that is covered. */
  readonly sequenceNumber: number;
  readonly epoch: number;
  /** UTC with six fraction digits. */
  readonly time: string;
  readonly witnesses: readonly { readonly name: string; readonly time: string }[];
}

export interface Verification {
  readonly checked: number;
  readonly fromSequence: number;
  readonly toSequence: number;
  /** In the range; with `firstInvalid`, at least those before it. */
  readonly erasedParts: number;
  /** The first event that retention has left. */
  readonly retainedFrom: number;
  readonly head: { readonly sequence: number; readonly hash: string };
  readonly firstInvalid:
    | {
        readonly sequenceNumber: number;
        /** Undefined if that number has no row. */
        readonly eventId: string | undefined;
        readonly reason: InvalidReason;
      }
    | undefined;
  /** What the log of evidence covers; undefined if no served epoch has the account. */
  readonly covered: CoveredEvents | undefined;
  /** UTC with six fraction digits. */
  readonly verifiedAt: string;
}

export function verificationJson(result: Verification): string {
  const { covered, firstInvalid: first, head } = result;
  return JSON.stringify({
    valid: first === undefined,
    checked: result.checked,
    from_sequence: result.fromSequence,
    to_sequence: result.toSequence,
    erased: result.erasedParts,
    retained_from: result.retainedFrom,
    head: { sequence_number: head.sequence, hash: head.hash },
    first_invalid: first
      ? {
          sequence_number: first.sequenceNumber,
          event_id: first.eventId ?? null,
          reason: first.reason,
        }
      : null,
    covered: covered
      ? {
          sequence_number: covered.sequenceNumber,
          epoch: covered.epoch,
          time: covered.time,
          witnesses: covered.witnesses.map(({ name, time }) => ({ name, time })),
        }
      : null,
    verified_at: result.verifiedAt,
  });
}
