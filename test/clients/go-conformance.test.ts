// Guarantee: the SDK for Go keeps docs/sdk-contract.md, as conformance.test.ts says of the others. It runs
// with the outages, since Go builds its driver.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hasGo } from "../system/go.ts";
import { ALL, seen } from "./conformance.ts";
import { Driver } from "./drivers.ts";
import { buildGo } from "./go-driver.ts";

let folder: string;
let driver: Driver;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annals-go-"));
  if (hasGo) driver = new Driver(await buildGo("driver", folder));
});
afterAll(async () => {
  await driver?.end();
  rmSync(folder, { recursive: true });
});

test.runIf(hasGo).each(ALL)("passes: $name", async (each) => {
  expect(await seen(driver, each)).toEqual(each.seen);
});

test.runIf(hasGo).each(ALL)("with $fault does not pass: $name", async (each) => {
  expect(await seen(driver, each, each.fault)).not.toEqual(each.seen);
});
