// Guarantee: an account never has more pending deliveries than its bounds, of their number and of their
// bytes, and no webhook of it takes the share of another.

import fc from "fast-check";
import { expect, test } from "vitest";
import { type BacklogLimit, limitBacklog } from "./limit-backlog.ts";

const planned = (webhookIds: readonly string[], entries: number) =>
  Array.from({ length: entries }, (_, index) =>
    webhookIds.map((webhookId) => ({ webhookId, ordinal: index + 1 })),
  ).flat();

const count = (deliveries: readonly { webhookId: string }[], id: string) =>
  deliveries.filter(({ webhookId }) => webhookId === id).length;

const pendingOf = (counts: Record<string, number>, bytes = 0) =>
  Object.entries(counts).map(([id, pending]) => ({
    webhook_id: id,
    pending,
    bytes: pending * bytes,
  }));

/** One bound alone, in deliveries or in bodies of 10 bytes. */
const bounds: [string, (max: number, pending: Record<string, number>) => BacklogLimit][] = [
  [
    "in number",
    (max, pending) => ({
      maxPending: max,
      maxPendingBytes: Infinity,
      pending: pendingOf(pending),
      webhookIds: Object.keys(pending),
      bytesOf: () => 10,
    }),
  ],
  [
    "in bytes",
    (max, pending) => ({
      maxPending: Infinity,
      maxPendingBytes: max * 10,
      pending: pendingOf(pending, 10),
      webhookIds: Object.keys(pending),
      bytesOf: () => 10,
    }),
  ],
];

test.each(bounds)("%s: one webhook may have all of the bound, and no more", (_name, limit) => {
  const { kept, dropped } = limitBacklog(planned(["a"], 70), limit(100, { a: 60 }));
  expect([kept.length, dropped.length]).toEqual([40, 30]);
  expect(dropped[0]?.ordinal).toBe(41);
});

test.each(bounds)(
  "%s: a webhook with a long backlog leaves the others their share",
  (_name, limit) => {
    const { kept } = limitBacklog(planned(["dead", "b"], 50), limit(100, { dead: 100, b: 0 }));
    expect([count(kept, "dead"), count(kept, "b")]).toEqual([0, 25]);
  },
);

test("bytes: a body that reaches the bound exactly is kept, one byte more is not", () => {
  const limit = (max: number) => ({
    maxPending: 100,
    maxPendingBytes: max,
    pending: [],
    webhookIds: ["a"],
    bytesOf: () => 64,
  });
  expect(limitBacklog(planned(["a"], 3), limit(192)).kept).toHaveLength(3);
  expect(limitBacklog(planned(["a"], 3), limit(191)).kept).toHaveLength(2);
});

test("the bounds hold whatever was pending within them, and nothing is kept behind a drop", () => {
  const counts = fc.array(fc.nat(50), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(
      counts,
      fc.integer({ min: 1, max: 400 }),
      fc.integer({ min: 1, max: 60 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (given, max, entries, sizes) => {
        const webhookIds = given.map((_, index) => `w${index}`);
        const bytesOf = (ordinal: number) => sizes[ordinal % sizes.length] ?? 1;
        const empty = {
          maxPending: max,
          maxPendingBytes: max * 4,
          pending: [],
          webhookIds,
          bytesOf,
        };
        const steps = given.flatMap((n, index) => planned([`w${index}`], n));
        const before = limitBacklog(steps, empty).kept;
        const bytesIn = (all: typeof before) =>
          all.reduce((sum, { ordinal }) => sum + bytesOf(ordinal), 0);
        const pending = webhookIds.map((id) => {
          const own = before.filter(({ webhookId }) => webhookId === id);
          return { webhook_id: id, pending: own.length, bytes: bytesIn(own) };
        });
        const { kept, dropped } = limitBacklog(planned(webhookIds, entries), { ...empty, pending });
        expect(before.length + kept.length).toBeLessThanOrEqual(max);
        expect(bytesIn(before) + bytesIn([...kept])).toBeLessThanOrEqual(max * 4);
        for (const { webhookId, ordinal } of dropped) {
          const later = kept.filter((one) => one.webhookId === webhookId && one.ordinal > ordinal);
          expect(later).toEqual([]);
        }
      },
    ),
  );
});
