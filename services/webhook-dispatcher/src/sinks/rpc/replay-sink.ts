// ReplaySink: sets the cursor of a sink, usually back, so that it is sent the events from a number on again
// (docs/interface.md).

import type { Clock } from "@annals/contract";
import { complete, invalid, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { WebhooksService } from "@annals/proto/webhooks";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { sinkChange } from "../rules/audit-entries.ts";
import type { Producers } from "../../outbound/producers.ts";
import { AUDIT } from "../../store/audit.ts";
import { countReplayed, replayLimit } from "../../store/daily-use.ts";
import { findSink } from "../store/find-sink.ts";
import { replaySink as replaySinkStatement } from "../store/replay-sink.ts";
import { checkSinkId } from "../sink-members.ts";

export interface ReplaySinkDeps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly producers: Pick<Producers, "positions" | "retainedFrom">;
  /** See store/moment.ts. */
  readonly now: () => string;
}

export function replaySink(
  deps: ReplaySinkDeps,
): ServiceImpl<typeof WebhooksService>["replaySink"] {
  return async ({ accountId, id, fromSequenceNumber: from }, context) => {
    complete({ account_id: accountId, id });
    checkSinkId(id);
    const actor = actorOf(context);
    const database = deps.database.forAccount(accountId, context.signal);
    const [found] = await database.run(findSink, [accountId, id]);
    if (!found) throw notFound("sink", id);
    const events = await checkFrom(deps.producers, accountId, from);
    await database.transaction(async (transaction) => {
      const params = [accountId, id, from - 1n, deps.now(), actor.id ?? null] as const;
      const [row] = await transaction.run(replaySinkStatement, [...params]);
      if (!row) throw notFound("sink", id);
      await countReplayed(transaction, accountId, events, replayLimit(context));
      const metadata = { from_sequence_number: String(from) };
      const change = { actor, occurredAt: deps.clock.nowText(), metadata };
      await AUDIT.add(transaction, sinkChange("replayed", accountId, id, change));
    });
    return {};
  };
}

/** Resolves to the number of events that are sent again. */
async function checkFrom(
  producers: ReplaySinkDeps["producers"],
  accountId: string,
  from: bigint,
): Promise<bigint> {
  const field = "from_sequence_number";
  if (from < 1n) throw invalid({ field, message: "must be at least 1" });
  const [positions] = await producers.positions([accountId], ["events"]);
  const next = (positions?.events ?? 0n) + 1n;
  if (from === next) return 0n;
  if (from > next) {
    const message = `must be at most ${next}, which is the number of the next event`;
    throw invalid({ field, message });
  }
  const retainedFrom = await producers.retainedFrom(accountId, from);
  if (retainedFrom !== undefined) {
    const message = `must be at least ${retainedFrom}: retention has deleted the events before`;
    throw invalid({ field, message });
  }
  return next - from;
}
