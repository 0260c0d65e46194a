// Guarantee: each SDK keeps docs/sdk-contract.md against a faulty server, in every case. The control: with
// the fault that a case names, the driver does not pass it.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ALL, seen } from "./conformance.ts";
import { Driver, DRIVERS } from "./drivers.ts";

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
