// What may have copies of erased values outside of the ledger (docs/lifecycle.md). It has no logic.

/** Whether an erasure waits until each has said that it has no copy. */
export interface ErasureCopies {
  /** Files, in the export service. */
  readonly exports: boolean;
  /** Events in memory and bodies of deliveries, in the webhook dispatcher. */
  readonly webhooks: boolean;
}
