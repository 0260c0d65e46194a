// The closed errors of this package. Everything that reads a text or checks a proof throws them; callers
// decide by the reason. A message must never quote what was read: it may come from an attacker.

/** `signature_missing`: no known key signed. `signature_invalid`: the signature of a known key is wrong. */
export type TlogReason =
  | "note_malformed"
  | "checkpoint_malformed"
  | "vkey_malformed"
  | "policy_malformed"
  | "path_malformed"
  | "proof_malformed"
  | "entry_malformed"
  | "head_malformed"
  | "signature_missing"
  | "signature_invalid"
  | "inclusion_mismatch"
  | "consistency_mismatch"
  | "tile_mismatch"
  | "map_mismatch";

export class TlogError extends Error {
  override readonly name = "TlogError";
  readonly reason: TlogReason;

  constructor(reason: TlogReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
