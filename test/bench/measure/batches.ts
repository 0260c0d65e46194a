// Measures `POST /v1/events/batch` of 100 events against an INSERT of 100 rows per statement. Called by
// main.ts.

import { newAccount } from "@annals/testing";
import { bareInsert } from "../bare-insert.ts";
import { batches, cloudTrailEvents, smallEvents } from "../bodies.ts";
import { costText, marked } from "../cpu.ts";
import { settle } from "../settle.ts";
import { type Bench, multiple, type Result, type Section, shown } from "./bench.ts";
import { costedLoad } from "./load.ts";
import { interleaved, medians, medianRatio } from "./interleaved.ts";

const SIZE = 100;
const CONNECTIONS = 8;

export async function measureBatches(bench: Bench): Promise<Section> {
  const results: Result[] = [];
  for (const [size, events] of [
    ["small", smallEvents()],
    ["CloudTrail", await cloudTrailEvents()],
  ] as const) {
    bench.say(`bare INSERT of ${SIZE} rows, and POST /v1/events/batch of ${SIZE}, ${size}`);
    const { bare, posted } = await batchesByTurns(bench, events);
    const ratio = multiple(medianRatio("perSecond", posted, bare));
    results.push(
      { what: `bare INSERT of ${SIZE} rows, ${size}`, ...shown(medians(bare)) },
      {
        what: marked(`POST /v1/events/batch of ${SIZE}, ${size}, one key`, posted),
        ...shown(medians(posted)),
        ratio,
        cost: costText(posted),
      },
    );
  }
  return {
    title: "Batches",
    about:
      `${CONNECTIONS} connections. The bare INSERT stores the same rows in the same table, ` +
      `${SIZE} per statement, each connection for its own account. The batches all go to one chain.`,
    heads: ["events", "p50", "p99", "of bare INSERT"],
    results,
  };
}

/** Rates in events. */
async function batchesByTurns(bench: Bench, events: readonly object[]) {
  const { baseUrl, databaseUrl, options } = bench;
  const { turns, turnWarmUpMs: warmUpMs, turnMs: measureMs } = options;
  const shape = { connections: CONNECTIONS, warmUpMs, measureMs };
  const { key } = await newAccount(databaseUrl);
  const request = { method: "POST", paths: ["/v1/events/batch"], status: 201 } as const;
  const bodies = batches(events, SIZE);
  const [bare, posted] = await interleaved(turns, [
    async () => {
      await settle(databaseUrl);
      return bareInsert({ databaseUrl, events, size: SIZE, ...shape });
    },
    async () => {
      const job = { ...request, ...shape, baseUrl, bodies, keys: [key] };
      return costedLoad(bench, job, SIZE);
    },
  ]);
  return { bare, posted };
}
