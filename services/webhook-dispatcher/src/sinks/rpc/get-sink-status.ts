// GetSinkStatus: whether a sink is sent events, how far it is behind its account's chain, which event its
// receiver refuses, and what was lost (docs/interface.md).

import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { WebhooksService } from "@annals/proto/webhooks";
import type { ServiceImpl } from "@connectrpc/connect";
import { LostReason } from "@annals/proto/sinks";
import type { LostRange } from "../rules/sink.ts";
import { readRefusals, type Rejected } from "../rules/sink-refusals.ts";
import type { Producers } from "../../outbound/producers.ts";
import { findSink } from "../store/find-sink.ts";
import { stateOf } from "./render-sink.ts";
import { checkSinkId } from "../sink-members.ts";

const MICROS_PER_SECOND = 1_000_000;

const REASONS = {
  retention: LostReason.RETENTION,
  rejected: LostReason.REJECTED,
  both: LostReason.BOTH,
} as const;

export interface GetSinkStatusDeps {
  readonly database: Pool;
  /** The clock of the database: that of a process may be wrong, and an age with it. */
  readonly databaseMicros: () => number;
  readonly producers: Pick<Producers, "events" | "positions" | "retainedFrom">;
}

export function getSinkStatus(
  deps: GetSinkStatusDeps,
): ServiceImpl<typeof WebhooksService>["getSinkStatus"] {
  return async ({ accountId, id }, { signal }) => {
    complete({ account_id: accountId, id });
    checkSinkId(id);
    const [row] = await deps.database.forAccount(accountId, signal).run(findSink, [accountId, id]);
    if (!row) throw notFound("sink", id);
    const [positions] = await deps.producers.positions([accountId], ["events"]);
    const cursor = BigInt(row.cursor);
    // The cursor was read before the head, which only grows. After a restore the chain may be shorter.
    const head = positions?.events ?? 0n;
    const isBehind = head > cursor;
    const { rejected } = readRefusals(row.refusals);
    const lost = JSON.parse(row.lost ?? "[]") as LostRange[];
    return {
      state: stateOf(row),
      cursor,
      head,
      lagEvents: isBehind ? head - cursor : 0n,
      lagSeconds: isBehind ? await waitOf(deps, accountId, cursor + 1n) : 0,
      ...(row.last_error !== null && { lastError: row.last_error }),
      ...(row.last_delivered_at !== null && { lastDeliveredAt: row.last_delivered_at }),
      ...(row.active && { nextAttemptAt: row.next_attempt_at }),
      lost: lost.map(({ from, reason, to }) => ({
        fromSequenceNumber: BigInt(from),
        toSequenceNumber: BigInt(to),
        reason: REASONS[reason],
      })),
      ...(rejected && { rejected: shownEvent(rejected) }),
    };
  };
}

function shownEvent({ id, reason, sequence_number, status }: Rejected) {
  const sequenceNumber = BigInt(sequence_number);
  return { sequenceNumber, id, ...(status !== null && { status }), reason };
}

/** Seconds since the event at a position was stored, or the first one that retention has left after it. */
async function waitOf(
  { databaseMicros, producers }: GetSinkStatusDeps,
  accountId: string,
  position: bigint,
): Promise<number> {
  const storedAt =
    (await storedAtOf(producers, accountId, position)) ??
    (await storedAtOf(producers, accountId, await producers.retainedFrom(accountId, position)));
  return storedAt === undefined
    ? 0
    : Math.max(0, (databaseMicros() - storedAt) / MICROS_PER_SECOND);
}

async function storedAtOf(
  producers: GetSinkStatusDeps["producers"],
  accountId: string,
  position: bigint | undefined,
): Promise<number | undefined> {
  if (position === undefined) return undefined;
  const { events } = await producers.events(accountId, [position]);
  const [first] = events;
  if (!first) return undefined;
  const { created_at: createdAt } = JSON.parse(first[1]) as { readonly created_at: string };
  return Date.parse(createdAt) * 1_000;
}
