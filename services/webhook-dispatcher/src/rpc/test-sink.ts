// TestSink: sends one checkpoint at once and waits for the receiver (docs/interface.md). It moves no cursor.
// The request is recorded before anything is sent.

import type { Clock } from "@annals/contract";
import { complete, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { WebhooksService } from "@annals/proto/webhooks";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { sinkChange } from "../domain/audit-entries.ts";
import type { SinkTestResult } from "../domain/sink.ts";
import { AUDIT } from "../store/audit.ts";
import { findSink } from "../store/find-sink.ts";
import type { SinkStatusRow } from "../store/sink-row.ts";
import { checkSinkId } from "./sink-members.ts";

export interface TestSinkDeps {
  readonly clock: Clock;
  readonly database: Pool;
  /** Sends one checkpoint. Rejects only if the service itself fails. */
  readonly sendTest: (row: SinkStatusRow, signal: AbortSignal) => Promise<SinkTestResult>;
}

export function testSink(deps: TestSinkDeps): ServiceImpl<typeof WebhooksService>["testSink"] {
  return async ({ accountId, id }, context) => {
    complete({ account_id: accountId, id });
    checkSinkId(id);
    const { signal } = context;
    const actor = actorOf(context);
    const row = await deps.database
      .forAccount(accountId, signal)
      .transaction(async (transaction) => {
        const [found] = await transaction.run(findSink, [accountId, id]);
        if (!found) throw notFound("sink", id);
        const change = { actor, occurredAt: deps.clock.nowText() };
        await AUDIT.add(transaction, sinkChange("tested", accountId, id, change));
        return found;
      });
    return deps.sendTest(row, signal);
  };
}
