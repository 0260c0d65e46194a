// Accounts with events to show. Used by the tests of this folder.

import { newClient } from "@annals/testing";
import { expect } from "vitest";
import { INVOICE } from "./invoice.ts";

/** So many events, the newest of which is an invoice's. */
export async function accountWith(stack: Parameters<typeof newClient>[0], count: number) {
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
