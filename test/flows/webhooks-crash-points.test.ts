// Guarantee: what was answered with 201 reaches every webhook although ledger or dispatcher is killed at any
// of the points that have a name between the commit and the stored result, with the same bytes each time.
// Real processes; 1,000 events a point and many kills are in test/faults/webhooks-crash-points.test.ts.

import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { PointedSystem, POINTS } from "../system/webhooks-crash-points.ts";

const EVENTS = 300;

let pointed: PointedSystem;
beforeAll(async () => {
  pointed = await PointedSystem.start(inject("stack"));
});
afterAll(() => pointed.stop());

test("killed once at each point, under one load", async () => {
  const { count, repeated } = await pointed.survive(POINTS, EVENTS);
  expect(count).toBeGreaterThanOrEqual(EVENTS);
  // What was answered, or sent, by a dispatcher that died before it could say so.
  expect(repeated).toBeGreaterThan(0);
});
