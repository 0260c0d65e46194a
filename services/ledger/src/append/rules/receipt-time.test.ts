// Guarantee: the time of receipt that is hashed differs from the database's clock by at most the tolerance of
// clocks, or by the time that a request may take, whatever the clock of a gateway shows.

import { formatMicros } from "@annals/contract";
import { expect, test } from "vitest";
import { receiptCheck } from "./receipt-time.ts";

const NOON = Date.UTC(2026, 4, 10, 12) * 1_000;
const S = 1_000_000;

test.each([
  [-60.001, "received_at is 60.0 s behind the database's clock"],
  [-60, undefined],
  [-5, undefined],
  [0, undefined],
  [5, undefined],
  [5.001, "received_at is 5.0 s ahead of the database's clock"],
  [86_400, "received_at is 86400.0 s ahead of the database's clock"],
])("%d s after the time of the database", (seconds, reason) => {
  const refused = receiptCheck(() => NOON)(formatMicros(NOON + seconds * S));
  expect((refused?.cause as Error | undefined)?.message).toBe(reason);
  if (refused) expect(refused.kind).toBe("unavailable");
});
