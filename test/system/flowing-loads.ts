// Loads on several accounts that run while something is done to the system. Called by tests of failover and
// of a lost worker.

import { eventually } from "@annals/testing";
import { onTestFinished } from "vitest";
import type { Load } from "./load.ts";
import type { Testbed } from "./testbed.ts";

type Account = Awaited<ReturnType<Testbed["account"]>>;

const STORED_BETWEEN = 50;

export const storedOf = ({ appends }: Load) =>
  appends.flatMap(({ outcomes }) => outcomes.filter(({ stored }) => stored !== undefined));

/** Resolves when each load has stored a number more. */
export async function flowing(loads: readonly Load[], withinMs: number): Promise<void> {
  const from = loads.map((load) => storedOf(load).length);
  await eventually(
    "appends flow",
    () => loads.every((load, at) => storedOf(load).length >= (from[at] ?? 0) + STORED_BETWEEN),
    withinMs,
  );
}

/** Starts a load on each account, and resolves when all flow. It is stopped when the test is finished. */
export async function beginLoads(
  accounts: readonly Account[],
  { withinMs, writers }: { readonly withinMs: number; readonly writers: number },
): Promise<Load[]> {
  const loads = accounts.map(({ load }) => load());
  for (const load of loads) load.start(writers);
  onTestFinished(async () => {
    for (const load of loads) await load.stop();
  });
  await flowing(loads, withinMs);
  return loads;
}
