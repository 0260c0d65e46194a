// Guarantee: the attempts in flight to one host and port are bounded over all accounts and webhooks. What
// waits for the host takes no slot of its account or of others, and is delivered when the host has one.

import { expect, test } from "vitest";
import { newAccountId, newService } from "../../testing/dispatcher.ts";

const MAX = 8;

test("webhooks of many accounts at one host that hangs: the bound holds, and another host goes on", async () => {
  const { handlers, replica } = await newService({ maxInFlightPerHost: MAX });
  const a = replica();
  const accounts = Array.from({ length: 6 }, newAccountId);
  for (const accountId of accounts) {
    for (const path of ["a", "b"])
      await handlers.create(accountId, { url: `https://crowded.example.com/${path}` });
    await a.produce(accountId, 5);
  }
  const to = (host: string) => a.sender.attempts.filter(({ url }) => url.includes(host));
  await a.engine.round();
  await a.engine.round();
  const crowded = to("crowded").length;
  expect(crowded).toBeGreaterThan(MAX / 2);
  expect(crowded).toBeLessThanOrEqual(MAX);
  const other = newAccountId();
  await handlers.create(other, { url: "https://free.example.com/" });
  // An account whose other webhook waits has its slots.
  await handlers.create(accounts[0] ?? "", { url: "https://free.example.com/" });
  await a.produce(other, 2);
  await a.produce(accounts[0] ?? "", 2);
  await a.engine.round();
  expect(to("free").length).toBe(4);
  expect(to("crowded").length).toBeLessThanOrEqual(MAX);
  // All arrive once the receiver answers.
  a.sender.answer = () => 200;
  for (const { end } of a.sender.attempts) end({});
  for (let round = 0; round < 200 && to("crowded").length < 64; round++) {
    await a.engine.round();
    await a.engine.settled();
  }
  expect(to("crowded").length).toBe(64);
});
