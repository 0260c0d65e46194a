// Guarantee: each SDK keeps docs/sdk-contract.md against a faulty server, in every case. The control: with
// the fault that a case names, the driver does not pass it.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scriptedServer } from "../sdk/scripted-server.ts";
import { BOUND_CASES } from "./bound-cases.ts";
import { type Case, CASES } from "./cases.ts";
import { Driver, DRIVERS } from "./drivers.ts";

const ALL = [...CASES, ...BOUND_CASES];

async function seen(driver: Driver, { answer, open, run }: Case, fault?: string): Promise<unknown> {
  const server = await scriptedServer(answer);
  driver.fault = fault;
  await driver.send("open", { base_url: server.baseUrl, keys: ["k"], ...open, fault });
  return run(driver, server);
}

describe.each(Object.entries(DRIVERS))("the SDK of %s", (_, command) => {
  let driver: Driver;
  beforeAll(() => {
    driver = new Driver(command);
  });
  afterAll(() => driver.end());

  test.each(ALL)("passes: $name", async (each) => {
    expect(await seen(driver, each)).toEqual(each.seen);
  });

  test.each(ALL)("with $fault does not pass: $name", async (each) => {
    expect(await seen(driver, each, each.fault)).not.toEqual(each.seen);
  });
});
