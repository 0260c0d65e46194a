// Guarantee: the recorder for an application's tests keeps what would be sent, with the context that is set,
// and refuses aloud what a client would drop.

import type { NewEvent } from "@annals/sdk";
import { context } from "@annals/sdk/context";
import { recorder } from "@annals/sdk/testing";
import { expect, test } from "vitest";

test("it keeps events as they were when they were tracked, with their context", async () => {
  const annals = recorder();
  const event = { action: "a1", metadata: { total: 1, note: undefined } };
  const actor = { type: "user", id: "u_1" };
  const isTaken = context({ actor, context: { tenant: "t_1" } }, () => annals.track(event));
  event.metadata.total = 2;
  annals.track({ action: "a2" });
  await annals.ready();
  await annals.flush();
  await annals.close();
  expect([isTaken, annals.buffered, annals.actions]).toEqual([true, 0, ["a1", "a2"]]);
  expect(annals.events).toStrictEqual([
    { action: "a1", metadata: { total: 1 }, actor, context: { tenant: "t_1" } },
    { action: "a2" },
  ]);
});

test("what is no JSON is refused aloud", () => {
  const annals = recorder();
  const self: NewEvent = { action: "a", metadata: {} };
  self.metadata = { self };
  expect(() => annals.track({ action: "a", metadata: { total: NaN } })).toThrow(
    "NaN is not a number of JSON",
  );
  expect(() => annals.track(self)).toThrow("circular");
  expect(annals.events).toEqual([]);
});
