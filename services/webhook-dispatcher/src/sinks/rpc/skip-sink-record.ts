// SkipSinkRecord: passes over the one event that the receiver of a sink refuses for good, at its owner's
// request (docs/interface.md). It is named, so that no other one is passed over, and recorded in the
// account's chain.

import type { Clock } from "@annals/contract";
import { complete, invalid, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { WebhooksService } from "@annals/proto/webhooks";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { skippedEntry } from "../rules/audit-entries.ts";
import type { Metrics } from "../../metrics.ts";
import { AUDIT } from "../../store/audit.ts";
import { lockRefusals } from "../store/sink-refusals.ts";
import { skipNamed } from "../store/skip-named.ts";
import { checkSinkId } from "../sink-members.ts";

export interface SkipSinkRecordDeps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly metrics: Pick<Metrics, "sinkSkipped">;
  /** See store/moment.ts. */
  readonly now: () => string;
}

export function skipSinkRecord(
  deps: SkipSinkRecordDeps,
): ServiceImpl<typeof WebhooksService>["skipSinkRecord"] {
  return async ({ accountId, id, sequenceNumber }, context) => {
    complete({ account_id: accountId, id });
    checkSinkId(id);
    const actor = actorOf(context);
    const database = deps.database.forAccount(accountId, context.signal);
    const type = await database.transaction(async (transaction) => {
      const [row] = await transaction.run(lockRefusals, [accountId, id]);
      if (!row) throw notFound("sink", id);
      const by = { accountId, now: deps.now(), updatedBy: actor.id ?? null };
      const skipped = await skipNamed(transaction, row, sequenceNumber, by);
      if (typeof skipped === "string")
        throw invalid({ field: "sequence_number", message: skipped });
      const of = { accountId, sinkId: id, isOperators: false };
      const change = { actor, occurredAt: deps.clock.nowText() };
      await AUDIT.add(transaction, skippedEntry(of, skipped, change));
      return row.type ?? "";
    });
    deps.metrics.sinkSkipped.inc({ type });
    return {};
  };
}
