// Why a bundle of evidence is not valid: a closed reason, the file and line, and a sentence. Thrown by the
// steps of verify-evidence.ts. A message may go to a terminal, so it must never hold a hidden character.

import { escapeHidden } from "@annals/event/text";

export type EvidenceReason =
  /** The files are not those that bundle.json names. */
  | "file_mismatch"
  /** A file is not what its format demands. */
  | "file_malformed"
  | "signature_missing"
  | "signature_invalid"
  | "inclusion_mismatch"
  | "chain_mismatch"
  | "sequence_gap"
  | "digest_mismatch"
  | "erased_value_present"
  | "hash_mismatch"
  | "link_mismatch"
  | "erasure_unrecorded"
  | "head_mismatch"
  | "consistency_mismatch"
  | "quorum_missing"
  | "timestamp_invalid"
  | "anchored_late"
  | "checkpoint_conflict";

export class EvidenceFault extends Error {
  override readonly name = "EvidenceFault";
  readonly reason: EvidenceReason;

  /** Quote the texts of a bundle in `message` (quoteVisibly). */
  constructor(reason: EvidenceReason, message: string) {
    super(escapeHidden(message));
    this.reason = reason;
  }
}

/** Nothing was decided: what the caller gave cannot be used. */
export class NotChecked extends Error {
  override readonly name = "NotChecked";
}
