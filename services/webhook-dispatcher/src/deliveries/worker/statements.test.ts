// Guarantee: deliveries of a backlog share statements, although their receivers answer at different times.
// How many share one depends on the machine: a delivery that shares nothing takes two statements, and the
// limit is a quarter of that. What the milliseconds of gathering save is measured by the bench.

import { eventually } from "@annals/testing";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import type { AttemptResult } from "../../outbound/exchange.ts";
import { intercepted, newReplicaWith, newService } from "../../testing/dispatcher.ts";

const WEBHOOKS = 4;
const EVENTS = 200;
const DELIVERIES = WEBHOOKS * EVENTS;
/** Answers come after one to so many milliseconds. */
const ANSWER_MS = 12;
const MAX_STATEMENTS_PER_DELIVERY = 0.5;

test("a backlog shares its statements", async () => {
  const { database, handlers, producers, subscribed } = await newService();
  const { accountId } = await subscribed();
  for (let n = 1; n < WEBHOOKS; n++) await handlers.create(accountId);
  const pool = database.pool();
  const counts = new Map<string, number>();
  const counting = intercepted(pool, {
    run: (statement, params) => {
      counts.set(statement.name, (counts.get(statement.name) ?? 0) + 1);
      return pool.run(statement, params);
    },
  });
  let sent = 0;
  const sender = {
    send: async (): Promise<AttemptResult> => {
      sent += 1;
      await pause(1 + (sent % ANSWER_MS));
      return { outcome: "success", statusCode: 200 };
    },
    abandon: () => {},
  };
  const { engine, produce } = newReplicaWith(sender, counting, { producers });
  await produce(accountId, EVENTS);
  engine.start();
  await eventually("all are sent", () => sent === DELIVERIES);
  await engine.stop(1_000);
  const of = (name: string) => (counts.get(`webhooks.${name}`) ?? 0) / DELIVERIES;
  expect(of("claim-deliveries") + of("record-results")).toBeLessThan(MAX_STATEMENTS_PER_DELIVERY);
  const rows = await database.query("SELECT FROM webhooks.deliveries WHERE due_at IS NOT NULL");
  expect(rows).toEqual([]);
});
