// TestSink: sends one checkpoint in a turn of the account's sinks and waits for the receiver
// (docs/interface.md). It moves no cursor. The request is recorded before anything is sent. The tests of an
// account are counted across all dispatchers, and refused beyond a number.

import type { Clock } from "@annals/contract";
import { AnnalsError, complete, notFound } from "@annals/errors";
import { minuteOf, type Pool } from "@annals/postgres";
import type { WebhooksService } from "@annals/proto/webhooks";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { sinkChange } from "../rules/audit-entries.ts";
import type { SinkTestResult } from "../rules/sink.ts";
import { AUDIT } from "../../store/audit.ts";
import { countSinkTests } from "../store/count-sink-tests.ts";
import { findSink } from "../store/find-sink.ts";
import type { SinkStatusRow } from "../store/sink-row.ts";
import { checkSinkId } from "../sink-members.ts";

/** Tests of an account's sinks in a minute of the clock. */
export const MAX_TESTS_PER_MINUTE = 20;
const SECONDS_PER_MINUTE = 60;
const MICROS_PER_SECOND = 1_000_000;

export interface TestSinkDeps {
  readonly clock: Clock;
  readonly database: Pool;
  /** Sends one checkpoint. Rejects if no turn is free in time, or if the service itself fails. */
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
        const occurredAt = deps.clock.nowText();
        await AUDIT.add(transaction, sinkChange("tested", accountId, id, { actor, occurredAt }));
        const counted = await transaction.run(countSinkTests, [accountId, minuteOf(occurredAt)]);
        if (Number(counted[0]?.tests ?? 0) > MAX_TESTS_PER_MINUTE) throw refusal(deps.clock);
        return found;
      });
    return deps.sendTest(row, signal);
  };
}

/** What it counts and records is undone with its transaction. */
function refusal(clock: Clock): AnnalsError {
  const message = `An account may test its sinks ${MAX_TESTS_PER_MINUTE} times a minute.`;
  const second = Math.floor(clock.nowMicros() / MICROS_PER_SECOND) % SECONDS_PER_MINUTE;
  return new AnnalsError("rate_limited", message, { retryAfterS: SECONDS_PER_MINUTE - second });
}
