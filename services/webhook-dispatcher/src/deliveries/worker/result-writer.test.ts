// Guarantee: a webhook whose receiver fails for days without one success is disabled, with a reason that its
// owner sees; one success begins the days anew, and so does activating it or another URL. Under a time that
// the test sets.

import { expect, test } from "vitest";
import { FakeTime, newService } from "../../testing/dispatcher.ts";

const DAY_S = 86_400;

async function begin(disableAfterDays = 5) {
  const time = new FakeTime();
  const service = await newService({ now: time.now, retryDelaysS: [60], disableAfterDays });
  const { handlers } = service;
  const { accountId, webhook } = await service.subscribed();
  const replica = service.replica();
  /** One delivery, attempted once or twice, with the answers in turn. */
  const deliver = async (...statuses: number[]) => {
    await replica.produce(accountId);
    for (const status of statuses) {
      replica.sender.answer = () => status;
      await replica.engine.round();
      await replica.engine.settled();
      time.advance(60);
    }
  };
  const shown = async () => (await handlers.list(accountId))[0];
  return { ...service, accountId, deliver, replica, shown, time, webhook };
}

test("five days of failures disable it, and no further attempt begins", async () => {
  const { accountId, database, deliver, replica, shown, time, webhook, handlers } = await begin();
  await deliver(500, 500);
  time.advance(5 * DAY_S - 121);
  await deliver(500);
  expect(await shown()).toMatchObject({ active: true });
  expect(await shown()).not.toHaveProperty("disabledReason");
  await deliver(500);
  const disabled = await shown();
  expect(disabled).toMatchObject({ active: false, disabledReason: "failing" });
  expect(disabled?.["disabledAt"]).toMatch(/^2126-02-05T09:3\d:\d\d\.\d{6}Z$/);
  const entries = await database.query(
    "SELECT event::json -> 'actor' AS actor FROM webhooks.audit_outbox WHERE event LIKE '%webhook.disabled%'",
  );
  expect(entries).toEqual([{ actor: { type: "service", id: "webhook-dispatcher" } }]);
  const before = replica.sender.attempts.length;
  time.advance(DAY_S);
  await deliver(200);
  expect(replica.sender.attempts.length).toBe(before);
  // Activated again, it has five days more.
  await handlers.update(accountId, webhook.id, { active: true });
  expect(await shown()).not.toHaveProperty("disabledReason");
  expect(await shown()).not.toHaveProperty("disabledAt");
});

test.each([
  ["a success", async ({ deliver }: Begun) => deliver(200)],
  [
    "activating it",
    ({ accountId, handlers, webhook }: Begun) =>
      handlers.update(accountId, webhook.id, { active: true }),
  ],
  [
    "another URL",
    ({ accountId, handlers, webhook }: Begun) =>
      handlers.update(accountId, webhook.id, { url: "https://example.com/other" }),
  ],
])("%s begins the days anew", async (_, act) => {
  const begun = await begin();
  const { deliver, shown, time } = begun;
  await deliver(500, 500);
  time.advance(4 * DAY_S);
  await act(begun);
  time.advance(DAY_S);
  await deliver(500, 500);
  time.advance(4 * DAY_S);
  await deliver(500, 500);
  expect(await shown()).toMatchObject({ active: true });
  time.advance(DAY_S);
  await deliver(500, 500);
  expect(await shown()).toMatchObject({ active: false });
});

type Begun = Awaited<ReturnType<typeof begin>>;

test("days without any attempt disable nothing", async () => {
  const { deliver, shown, time } = await begin();
  await deliver(500, 200);
  time.advance(50 * DAY_S);
  await deliver(500);
  expect(await shown()).toMatchObject({ active: true });
});

test("0 days: never", async () => {
  const { deliver, shown, time } = await begin(0);
  await deliver(500, 500);
  time.advance(500 * DAY_S);
  await deliver(500, 500);
  expect(await shown()).toMatchObject({ active: true });
});
