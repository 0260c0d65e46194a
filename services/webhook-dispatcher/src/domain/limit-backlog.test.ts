// Guarantee: an account never has more pending deliveries than its bound, and no webhook of it takes the
// share of another.

import fc from "fast-check";
import { expect, test } from "vitest";
import { limitBacklog } from "./limit-backlog.ts";

const planned = (webhookIds: readonly string[], entries: number) =>
  Array.from({ length: entries }, (_, index) =>
    webhookIds.map((webhookId) => ({ webhookId, ordinal: index + 1 })),
  ).flat();

const count = (deliveries: readonly { webhookId: string }[], id: string) =>
  deliveries.filter(({ webhookId }) => webhookId === id).length;

test("one webhook may have all of the bound, and no more", () => {
  const limit = { maxPending: 100, pending: new Map([["a", 60]]), webhookIds: ["a"] };
  const { kept, dropped } = limitBacklog(planned(["a"], 70), limit);
  expect([kept.length, dropped.length]).toEqual([40, 30]);
  expect(dropped[0]?.ordinal).toBe(41);
});

test("a webhook with a long backlog leaves the others their share", () => {
  const limit = { maxPending: 100, pending: new Map([["dead", 100]]), webhookIds: ["dead", "b"] };
  const { kept } = limitBacklog(planned(["dead", "b"], 50), limit);
  expect([count(kept, "dead"), count(kept, "b")]).toEqual([0, 25]);
});

test("the bound holds whatever was pending within it, and nothing is kept behind a drop", () => {
  const counts = fc.array(fc.nat(50), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(
      counts,
      fc.integer({ min: 1, max: 400 }),
      fc.integer({ min: 1, max: 60 }),
      (given, max, entries) => {
        const webhookIds = given.map((_, index) => `w${index}`);
        const empty = { maxPending: max, pending: new Map(), webhookIds };
        const steps = given.flatMap((n, index) => planned([`w${index}`], n));
        const before = limitBacklog(steps, empty).kept;
        const pending = new Map(webhookIds.map((id) => [id, count(before, id)]));
        const { kept, dropped } = limitBacklog(planned(webhookIds, entries), { ...empty, pending });
        expect(before.length + kept.length).toBeLessThanOrEqual(max);
        for (const { webhookId, ordinal } of dropped) {
          const later = kept.filter((one) => one.webhookId === webhookId && one.ordinal > ordinal);
          expect(later).toEqual([]);
        }
      },
    ),
  );
});
