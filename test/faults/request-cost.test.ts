// Guarantee: what one request costs in CPU of all services together is bounded, for each route and for what
// workers do for it, however long the chain is. Both forms have all cases. The short form has shorter chains
// and wider bounds. The full form writes docs/performance/what-a-request-costs.md. That every route has a
// case, and one of a widget token a bound of at most 50 ms, is in test/tidy/request-costs.test.ts.

import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Cpu, cpuOfEach, idleCpuOf, sumOf } from "./cpu-of.ts";
import { COST_CASES } from "./request-cases.ts";
import { costPage } from "./request-cost-page.ts";
import { type CostCase, type CostWorld, startWorld } from "./request-world.ts";

const { name: form, requestCost } = inject("form");
/** Machines of continuous integration are slow, and a few calls warm up nothing. */
const MARGIN = form === "full" ? 1 : 6;
const PAGE = new URL("../../docs/performance/what-a-request-costs.md", import.meta.url);
const WARM_UP_CALLS = 5;

let world: CostWorld;
let idle: Cpu;
const measured: { readonly of: CostCase; readonly bytes: number; readonly cpu: Cpu }[] = [];

beforeAll(async () => {
  world = await startWorld(requestCost);
  idle = await idleCpuOf(world.system.stack);
}, 600_000);
afterAll(async () => {
  await world?.stop();
  process.stdout.write(`${costPage(measured, requestCost)}\n`);
});

test.each(COST_CASES)("$what costs at most its bound", async (of) => {
  let bytes = 0;
  const send = await of.make(world);
  const call = async () => {
    const { body, status, text } = await send();
    expect(status, text.slice(0, 300)).toBe(of.status ?? 200);
    if (of.isEmpty === true) {
      const next = { has_more: true, next_cursor: expect.any(String) };
      expect(body).toMatchObject({ data: [], ...next });
    }
    bytes = Buffer.byteLength(text);
  };
  if (of.calls === undefined) for (let n = 0; n < WARM_UP_CALLS; n += 1) await call();
  const calls = Math.min(of.calls ?? Infinity, requestCost.calls);
  const cpu = await cpuOfEach(world.system.stack, calls, call, idle);
  // NaN on systems other than Linux.
  expect(sumOf(cpu), JSON.stringify(cpu)).not.toBeGreaterThan(MARGIN * of.maxMs);
  measured.push({ of, bytes, cpu });
});

test("each case is measured", async () => {
  expect(measured.map(({ of }) => of.what)).toEqual(COST_CASES.map(({ what }) => what));
  if (form === "full") await writeFile(PAGE, costPage(measured, requestCost));
});
