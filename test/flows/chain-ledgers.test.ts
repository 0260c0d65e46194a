// Guarantee: a gateway that knows all ledgers appends the events of an account by one of them, and by another
// when that one stops: no request fails, and the chain has no gap and no fork.

import { HttpClient, newAccount, ownerOf } from "@annals/testing";
import { expect, inject, onTestFinished, test } from "vitest";
import { chainFaults } from "../system/chain-faults.ts";
import { startConstellation } from "../system/constellation.ts";
import { metricOf } from "../system/metric-of.ts";

const EVENTS = 20;

test("an account's events are appended by one ledger, and by another when it stops", async () => {
  const stack = await startConstellation({
    shared: inject("stack"),
    replicas: { ledger: inject("form").ledgers },
    without: ["nats", "export", "webhook-dispatcher"],
  });
  const owner = ownerOf(stack.databaseUrl);
  const { accountId, key } = await newAccount(stack.databaseUrl);
  const client = new HttpClient(stack.baseUrls[0] ?? "", key);
  onTestFinished(async () => {
    client.close();
    await owner.close();
    await stack.stop();
  });
  const append = async (count: number) => {
    for (let n = 0; n < count; n += 1)
      expect((await client.post("/v1/events", { action: "a" })).status).toBe(201);
  };
  const ledgers = stack.processes.filter(({ service }) => service === "ledger");
  const groups = (of = ledgers) =>
    Promise.all(of.map(({ adminUrl }) => metricOf(adminUrl, "annals_append_group_size_count")));

  const atFirst = await groups();
  await append(EVENTS);
  const grown = (await groups()).map((count, index) => count - (atFirst[index] ?? 0));
  expect(grown.filter((count) => count !== 0)).toEqual([EVENTS]);
  const used = ledgers[grown.indexOf(EVENTS)] ?? expect.fail("no ledger");
  const others = ledgers.filter((ledger) => ledger !== used);
  const before = await groups(others);
  const stopped = used.stop();
  await append(EVENTS);
  await stopped;
  await append(1);
  expect(await groups(others)).not.toEqual(before);
  expect(await chainFaults(owner, accountId, 2 * EVENTS + 1)).toEqual([]);
});
