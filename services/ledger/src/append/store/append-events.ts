// Appends events to a chain and moves its head, in one call of the function ledger.append: all of it or
// nothing. The function holds the conditions: the head is the one that the hashes were computed from, the
// last event of the chain is the one at the head, and no idempotency key of the group is in use. commits.ts
// calls it for one chain, locked-chain.ts under the lock. append-to-chains.ts appends to several chains.

import { statement, textArray } from "@annals/postgres";
import type { ChainedEvent, Plan } from "../rules/plan-flush.ts";

/** A plan, and the account whose chain it is for. */
export interface PlannedAppend {
  readonly accountId: string;
  readonly plan: Plan;
}

/**
 * $3 to $24 of both statements that append: columns of events, then of idempotency keys. Texts are encoded
 * by `textArray`.
 */
export type AppendColumns<CreatedAt> = [
  /** 32 bytes each: for each chain the hash of its head before, then the hash of each of its events. */
  hashes: Uint8Array,
  ids: Uint8Array,
  actions: Uint8Array,
  occurredAts: Uint8Array,
  receivedAts: Uint8Array,
  createdAt: CreatedAt,
  /** 160 bytes per event. */
  digests: Uint8Array,
  actors: Uint8Array,
  contexts: Uint8Array,
  diffs: Uint8Array,
  metadatas: Uint8Array,
  targets: Uint8Array,
  /** 80 bytes per event. */
  salts: Uint8Array,
  /** Copies for filters. Any of these ids and types may be null. */
  actorIds: Uint8Array,
  actorTypes: Uint8Array,
  targetIds: Uint8Array,
  targetTypes: Uint8Array,
  /** Ids of the API keys; null for audit entries of what no key did. */
  keyIds: Uint8Array,
  idempotencyKeys: readonly string[],
  /** 32 bytes per key. */
  requestSha256s: Uint8Array,
  firstSequences: readonly string[],
  eventCounts: readonly number[],
];

/** The values of {@link AppendColumns}: an array or a run of bytes per column, in the order of the plans. */
export function appendColumns<CreatedAt>(
  plans: readonly Plan[],
  createdAt: CreatedAt,
): AppendColumns<CreatedAt> {
  const events = plans.flatMap((plan) => plan.events);
  const appends = plans.flatMap((plan) => plan.appends);
  const remembered = plans.flatMap((plan) => plan.remembered);
  const texts = (of: (event: ChainedEvent) => string | Uint8Array | undefined) =>
    textArray(events.map((event) => of(event) ?? null));
  return [
    Buffer.from(plans.map(hashes).join(""), "hex"),
    texts(({ id }) => id),
    texts(({ event }) => event.action),
    texts(({ event }) => event.occurredAt),
    texts(({ receivedAt }) => receivedAt),
    createdAt,
    Buffer.concat(appends.map(({ digests }) => digests)),
    texts(({ event }) => event.actor),
    texts(({ event }) => event.context),
    texts(({ event }) => event.diff),
    texts(({ event }) => event.metadata),
    texts(({ event }) => event.target),
    Buffer.concat(appends.map(({ salts }) => salts)),
    texts(({ event }) => event.actorId),
    texts(({ event }) => event.actorType),
    texts(({ event }) => event.targetId),
    texts(({ event }) => event.targetType),
    texts(({ keyId }) => keyId),
    remembered.map(({ idempotencyKey }) => idempotencyKey),
    Buffer.concat(remembered.map(({ requestSha256 }) => requestSha256)),
    remembered.map(({ firstSequence }) => String(firstSequence)),
    remembered.map(({ eventCount }) => eventCount),
  ];
}

function hashes({ before, events }: Plan): string {
  return before.hash + events.map(({ hash }) => hash).join("");
}

type AppendParams = [
  accountId: string,
  /** Sequence number of the head before the append. */
  headSequence: string,
  ...AppendColumns<string>,
  /** Sequence number of the last event before the month of `createdAt`. */
  monthStart: string,
  /** How long an idempotency key is in use. */
  idempotencyHours: number,
];

export function appendParams(
  { accountId, plan }: PlannedAppend,
  idempotencyHours: number,
): AppendParams {
  return [
    accountId,
    String(plan.before.sequence),
    ...appendColumns([plan], plan.createdAt),
    String(plan.after.monthStart),
    idempotencyHours,
  ];
}

export const appendEvents = statement<AppendParams, { readonly stored: boolean }>(
  `/* ledger.append-events */
SELECT ledger.append(
  $1::text, $2::bigint, $3::bytea, $4::text[], $5::text[], $6::text[], $7::text[], $8::text, $9::bytea,
  $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::bytea, $16::text[], $17::text[],
  $18::text[], $19::text[], $20::text[], $21::text[], $22::bytea, $23::bigint[], $24::integer[],
  $25::bigint, $26::integer
) AS stored
`,
  { route: "one account" },
);
