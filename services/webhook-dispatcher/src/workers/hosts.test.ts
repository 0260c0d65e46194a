// Guarantee: the attempts under way to one host and port are bounded over all accounts and webhooks, and no
// account takes more than half of what is free. What waits for the host takes no slot of its account or of
// others, and is delivered when the host has one.

import { expect, test } from "vitest";
import { newAccountId, newService } from "../testing/dispatcher.ts";
import { Hosts } from "./hosts.ts";

const MAX = 8;

test("an account takes half of what is free, and the slots come back", () => {
  const hosts = new Hosts({ maxPerHost: MAX, onFree: () => {} });
  const take = (account: string, webhook = "wh") =>
    hosts.take(account, `${webhook}_${account}`, "https://example.com/a");
  const taken = Array.from({ length: MAX }, () => take("a")).filter((free) => free !== undefined);
  expect(taken).toHaveLength(MAX / 2);
  expect(take("b")).toBeDefined();
  expect(take("b")).toBeDefined();
  expect(take("b")).toBeUndefined();
  expect(take("c")).toBeDefined();
  // The last one goes to whoever has none.
  expect(take("c")).toBeUndefined();
  expect(take("d")).toBeDefined();
  expect(take("e")).toBeUndefined();
  for (const free of taken) free();
  expect(take("e")).toBeDefined();
});

test("one host in other spellings is one; another port is another", () => {
  const hosts = new Hosts({ maxPerHost: 1, onFree: () => {} });
  expect(hosts.take("a", "w1", "https://example.com/a")).toBeDefined();
  expect(hosts.take("b", "w2", "https://EXAMPLE.com:443/b?c")).toBeUndefined();
  expect(hosts.take("b", "w3", "https://example.com./")).toBeUndefined();
  expect(hosts.take("b", "w4", "https://example.com:8443/")).toBeDefined();
});

test("a wait ends when a slot is free, or after a moment", () => {
  let nowMs = 0;
  const freed: string[] = [];
  const hosts = new Hosts({
    maxPerHost: 1,
    onFree: (_account, webhook) => freed.push(webhook),
    now: () => nowMs,
  });
  const free = hosts.take("a", "w1", "https://example.com/");
  expect(hosts.take("b", "w2", "https://example.com/")).toBeUndefined();
  expect(hosts.wait("b", "w2")).toBe(true);
  expect(hosts.slotsFor("b", "w2")).toBe(0);
  hosts.expire();
  expect(freed).toEqual([]);
  free?.();
  expect(freed).toEqual(["w2"]);
  const again = hosts.take("a", "w1", "https://example.com/");
  hosts.wait("b", "w2");
  nowMs += 1_001;
  hosts.expire();
  expect(freed).toEqual(["w2", "w2"]);
  again?.();
});

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
