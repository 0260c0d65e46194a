// Guarantee: what one request costs in CPU of all services together is bounded however long the chain is,
// and no request of a widget token, which any visitor may hold, costs more than 50 ms. The full form measures
// the dearest request of each route that is known, and writes docs/performance/what-a-request-costs.md.

import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Cpu, cpuOfEach, sumOf } from "./cpu-of.ts";
import { costCases, type CostCase } from "./request-cases.ts";
import { costPage } from "./request-cost-page.ts";
import { loadSearchedChain } from "./searched-chain.ts";
import { startTestbed, type Testbed } from "../system/testbed.ts";

const { name: form, requestCost } = inject("form");
const MAX_WIDGET_MS = 50;
/** Machines of continuous integration are slow, and what a process does in the background counts too. */
const MARGIN = form === "full" ? 1 : 6;
const PAGE = new URL("../../docs/performance/what-a-request-costs.md", import.meta.url);
const WARM_UP_CALLS = 5;

let bed: Testbed;
let cases: readonly CostCase[];

beforeAll(async () => {
  bed = await startTestbed({ replicas: {} });
  await loadSearchedChain(bed.stack.databaseUrl, bed.accountId, requestCost.events);
  cases = await costCases(bed);
}, 600_000);
afterAll(() => bed?.stop());

test("no request of a widget token costs more than 50 ms of CPU", async () => {
  const measured: { readonly of: CostCase; readonly bytes: number; readonly cpu: Cpu }[] = [];
  for (const of of cases) {
    if (form === "short" && !of.isWidget) continue;
    let bytes = 0;
    const call = async () => {
      const { status, text } = await of.send();
      expect(status, `${of.what}: ${text.slice(0, 300)}`).toBe(of.status ?? 200);
      bytes = Buffer.byteLength(text);
    };
    for (let n = 0; n < WARM_UP_CALLS; n += 1) await call();
    const calls = of.calls ?? requestCost.calls;
    measured.push({ of, bytes, cpu: await cpuOfEach(bed.stack, calls, call) });
  }
  process.stdout.write(`${costPage(measured, requestCost.events)}\n`);
  for (const { of, cpu } of measured) {
    if (of.isWidget === true) expect(sumOf(cpu), of.what).toBeLessThan(MAX_WIDGET_MS * MARGIN);
  }
  if (form === "full") await writeFile(PAGE, costPage(measured, requestCost.events));
});

test("the first answer of a search that finds nothing is an empty page that goes on", async () => {
  for (const { send, isEmpty } of cases) {
    if (isEmpty !== true) continue;
    const { body } = await send();
    expect(body).toMatchObject({ data: [], has_more: true, next_cursor: expect.any(String) });
  }
});
