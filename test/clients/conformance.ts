// How a driver goes through the cases of docs/sdk-contract.md. Called by conformance.test.ts and
// go-conformance.test.ts.

import { scriptedServer } from "../sdk/scripted-server.ts";
import { BOUND_CASES } from "./bound-cases.ts";
import { type Case, CASES } from "./cases.ts";
import type { Driver } from "./drivers.ts";

export const ALL: readonly Case[] = [...CASES, ...BOUND_CASES];

/** What a case sees of a driver, with a fault switched on or without one. */
export async function seen(
  driver: Driver,
  { answer, open, run }: Case,
  fault?: string,
): Promise<unknown> {
  const server = await scriptedServer(answer);
  driver.fault = fault;
  await driver.send("open", { base_url: server.baseUrl, keys: ["k"], ...open, fault });
  return run(driver, server);
}
