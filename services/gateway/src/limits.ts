// The limits of requests (interface 3) that no setting changes: clients rely on them. serve.ts gives them to
// the app and its routes. They must never exceed what the ledger takes (libs/event/src/event-limits.ts).

const KIB = 1024;
const MIB = 1024 * KIB;

export const LIMITS = {
  /** Bytes of a request body other than a batch. */
  bodyMaxBytes: MIB,
  /** Bytes of the body of a batch of events. */
  batchBodyMaxBytes: 4 * MIB,
  /** Bytes of a body of intake, as a kube-apiserver sends them, and its items. */
  intakeBodyMaxBytes: 8 * MIB,
  intakeMaxItems: 1_000,
  /** Members and elements in a body other than a batch: more than any event can hold. */
  bodyMaxValues: 40_000,
  /** Those of a batch: a thousand CloudTrail records have up to 50,000. More would block the event loop. */
  batchBodyMaxValues: 60_000,
  /** Bytes of one event in canonical form. */
  eventMaxBytes: 64 * KIB,
  /** How deep objects and arrays of an event may nest; the event itself is the first level. */
  eventMaxDepth: 32,
  /** Maximum duration of the verification of a chain. */
  verifyTimeoutMs: 600_000,
};

export type Limits = Readonly<typeof LIMITS>;
