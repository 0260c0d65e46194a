// Guarantee: what one request costs in CPU of all services together is bounded, for each route and for what
// workers do for it, however long the chain is; and no request of a widget token, which any visitor may hold,
// costs more than 50 ms. The short form has those of widget tokens alone. The full form writes
// docs/performance/what-a-request-costs.md. That every route has a case is in
// test/tidy/request-costs.test.ts.

import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Cpu, cpuOfEach, sumOf } from "./cpu-of.ts";
import { COST_CASES, isWidget, MAX_WIDGET_MS } from "./request-cases.ts";
import { costPage } from "./request-cost-page.ts";
import { type CostCase, type CostWorld, type Send, startWorld } from "./request-world.ts";

const { name: form, requestCost } = inject("form");
/** Machines of continuous integration are slow, and what a process does in the background counts too. */
const MARGIN = form === "full" ? 1 : 6;
const PAGE = new URL("../../docs/performance/what-a-request-costs.md", import.meta.url);
const WARM_UP_CALLS = 5;
const CASES = COST_CASES.filter((of) => form === "full" || isWidget(of));

let world: CostWorld;
const sends = new Map<CostCase, Send>();

beforeAll(async () => {
  world = await startWorld(requestCost.events);
}, 600_000);
afterAll(() => world?.stop());

async function sendOf(of: CostCase): Promise<Send> {
  const send = sends.get(of) ?? (await of.make(world));
  sends.set(of, send);
  return send;
}

test("no request costs more than its bound, nor one of a widget token more than 50 ms", async () => {
  const measured: { readonly of: CostCase; readonly bytes: number; readonly cpu: Cpu }[] = [];
  for (const of of CASES) {
    let bytes = 0;
    const send = await sendOf(of);
    const call = async () => {
      const { status, text } = await send();
      expect(status, `${of.what}: ${text.slice(0, 300)}`).toBe(of.status ?? 200);
      bytes = Buffer.byteLength(text);
    };
    if (of.calls === undefined) for (let n = 0; n < WARM_UP_CALLS; n += 1) await call();
    const calls = Math.min(of.calls ?? Infinity, requestCost.calls);
    measured.push({ of, bytes, cpu: await cpuOfEach(world.system.stack, calls, call) });
  }
  process.stdout.write(`${costPage(measured, requestCost.events)}\n`);
  const beyond = measured.flatMap(({ of, cpu }) => {
    const most = MARGIN * (isWidget(of) ? Math.min(of.maxMs, MAX_WIDGET_MS) : of.maxMs);
    return sumOf(cpu) > most ? [`${of.what}: ${sumOf(cpu)} ms of ${most}`] : [];
  });
  expect(beyond).toEqual([]);
  if (form === "full") await writeFile(PAGE, costPage(measured, requestCost.events));
});

test("the first answer of a search that finds nothing is an empty page that goes on", async () => {
  for (const of of CASES) {
    if (of.isEmpty !== true) continue;
    const { body } = await (await sendOf(of))();
    expect(body).toMatchObject({ data: [], has_more: true, next_cursor: expect.any(String) });
  }
});
