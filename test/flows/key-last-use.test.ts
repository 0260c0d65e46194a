// Guarantee: the day of the last use of a key is written when keys stops, if not before, and a key that was
// never used has none.

import { eventually, HttpClient, newAccount, newKey } from "@annals/testing";
import { expect, inject, onTestFinished, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";

test("the last use is a day, of keys that were used", async () => {
  const stack = await startConstellation({
    shared: inject("stack"),
    without: ["nats", "export", "webhook-dispatcher"],
  });
  const { accountId, key } = await newAccount(stack.databaseUrl);
  const client = new HttpClient(stack.baseUrls[0] ?? "", key);
  onTestFinished(async () => {
    client.close();
    await stack.stop();
  });
  const used = await newKey(stack.databaseUrl, accountId);
  const unused = await newKey(stack.databaseUrl, accountId);
  expect((await client.as(used.key).get("/v1/usage")).status).not.toBe(401);
  const keys = stack.processes.find(({ service }) => service === "keys");
  await keys?.stop();
  keys?.start();
  await keys?.waitReady();
  const data = await eventually("keys is reached again", async () => {
    const { status, body } = await client.get("/v1/api-keys");
    return status === 200 && body.data;
  });
  const of = ({ keyId }: { keyId: string }) => data.find((one: { id: string }) => one.id === keyId);
  expect(of(used).last_used_at).toMatch(/^\d{4}-\d\d-\d\dT00:00:00\.000000Z$/);
  expect(Math.abs(Date.parse(of(used).last_used_at) - Date.now())).toBeLessThan(2 * 86_400_000);
  expect(of(unused)).not.toHaveProperty("last_used_at");
});
