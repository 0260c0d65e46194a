// Accounts with events to show. Used by the tests of this folder.

import { newClient, type SharedStack } from "@annals/testing";
import { expect } from "vitest";

export const INVOICE = {
  action: "invoice.update",
  actor: { id: "u_1", type: "user", meta: { name: "Ada" } },
  target: { id: "inv_9", type: "invoice", meta: { number: "2026-0009" } },
  context: { ip: "203.0.113.7" },
  diff: {
    before: { total: 1200, lines: [{ name: "Paper", price: 10 }], note: "old" },
    after: { total: 1250, lines: [{ name: "Paper", price: 12 }], paid: true },
  },
  metadata: { request: "r-77" },
};

/** So many events, the newest of which is an invoice's. */
export async function accountWith(stack: SharedStack, count: number) {
  const account = await newClient(stack);
  for (let sent = 1; sent < count; sent += 100) {
    const events = Array.from({ length: Math.min(100, count - sent) }, (_, n) => ({
      action: "user.login",
      actor: { id: `u_${sent + n}`, type: "user" },
    }));
    expect((await account.client.post("/v1/events/batch", { events })).status).toBe(201);
  }
  if (count > 0) expect((await account.client.post("/v1/events", INVOICE)).status).toBe(201);
  return account;
}
