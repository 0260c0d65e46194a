// Guarantee: an account tests its sinks at most 20 times a minute, whichever of them, and whichever
// dispatcher its requests come to. What is refused sends nothing, and the audit neither has nor counts it.

import { createContextValues } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { newAccountId, newService } from "../../testing/dispatcher.ts";
import { sinkHandlers } from "../../testing/sinks.ts";
import { MAX_TESTS_PER_MINUTE, testSink } from "./test-sink.ts";

async function begin() {
  const service = await newService();
  const sinks = sinkHandlers(service.handlers);
  const clock = { text: "2026-01-31T09:30:40.000000Z", sent: 0 };
  const dispatcher = () => {
    const handler = testSink({
      clock: {
        nowText: () => clock.text,
        nowMicros: () => Date.parse(clock.text) * 1_000,
      },
      database: service.database.pool(),
      sendTest: async () => {
        clock.sent += 1;
        return { success: true };
      },
    });
    return async (accountId: string, id: string) => {
      const context = { values: createContextValues() };
      return handler({ accountId, id } as never, context as never);
    };
  };
  /** The entries of the audit, and how many tests it counts, of which it shows those beyond the entries. */
  const recorded = async (accountId: string) => {
    const entries = await service.database.query(
      `SELECT 1 FROM webhooks.audit_outbox
       WHERE account_id = $1 AND event::json->>'action' = 'annals.sink.tested'`,
      [accountId],
    );
    const counted = await service.database.query<{ changes: string }>(
      `SELECT changes FROM webhooks.audit_windows
       WHERE account_id = $1 AND action = 'annals.sink.tested'`,
      [accountId],
    );
    return [entries.length, ...counted.map(({ changes }) => Number(changes))];
  };
  return { clock, dispatcher, recorded, sinks };
}

test("20 in a minute, over all sinks and dispatchers, and none more until the minute is over", async () => {
  const { clock, dispatcher, recorded, sinks } = await begin();
  const [one, two] = [dispatcher(), dispatcher()];
  const accountId = newAccountId();
  const { id } = await sinks.create(accountId);
  const { id: other } = await sinks.create(accountId);
  const asked = Array.from({ length: MAX_TESTS_PER_MINUTE + 5 }, (_, n) =>
    n % 2 === 0 ? one(accountId, id) : two(accountId, other),
  );
  const results = await Promise.allSettled(asked);
  const refused = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason] : [],
  );
  expect(refused).toHaveLength(5);
  for (const reason of refused)
    expect(reason).toMatchObject({ kind: "rate_limited", retryAfterS: 20 });
  expect([clock.sent, ...(await recorded(accountId))]).toEqual([20, 20, 20]);
  // Another sink is no way round it, nor is another account affected.
  await sinks.delete(accountId, id);
  const { id: made } = await sinks.create(accountId);
  await expect(one(accountId, made)).rejects.toMatchObject({ kind: "rate_limited" });
  const stranger = newAccountId();
  expect(await one(stranger, (await sinks.create(stranger)).id)).toEqual({ success: true });
  clock.text = "2026-01-31T09:31:00.000000Z";
  expect(await one(accountId, made)).toEqual({ success: true });
});
