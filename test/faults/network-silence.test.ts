// Guarantee: with any internal link silent or slowed by 500 ms no request outlives its deadline. Only what
// depends on that link fails, and all work again within 5 s: as network-faults.test.ts has it for links that
// are cut, with the controls of both. A silent link takes the deadline of 10 s, which is waiting.

import { afterAll, beforeAll, expect, test } from "vitest";
import { casesOf, type ProbedSystem, startProbedSystem, faultsOfCase } from "./network-cases.ts";

let system: ProbedSystem;
beforeAll(async () => {
  system = await startProbedSystem();
});
afterAll(() => system?.stop());

test.each(casesOf("slowed", "swallowed"))("%s %s", async (name, fault) => {
  expect(await faultsOfCase(system, name, fault)).toStrictEqual([]);
});
