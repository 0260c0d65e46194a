// `POST /v1/events/batch` of 100 events, against a bare insert of 100 rows a statement.

import { newAccount } from "@annals/testing";
import { bareInsert } from "../bare-insert.ts";
import { batches, cloudTrailEvents, smallEvents } from "../bodies.ts";
import { httpLoad } from "../http-load.ts";
import { settle } from "../settle.ts";
import { type Bench, rate, type Result, type Section, share, time } from "./bench.ts";

const SIZE = 100;
const CONNECTIONS = 8;

export async function measureBatches(bench: Bench): Promise<Section> {
  const { baseUrl, databaseUrl, options } = bench;
  const { warmUpMs, measureMs } = options;
  const shape = { connections: CONNECTIONS, warmUpMs, measureMs };
  const results: Result[] = [];
  for (const [size, events] of [
    ["small", smallEvents()],
    ["CloudTrail", await cloudTrailEvents()],
  ] as const) {
    bench.say(`bare INSERT of ${SIZE} rows, ${size}`);
    await settle(databaseUrl);
    const bare = await bareInsert({ databaseUrl, events, size: SIZE, ...shape });
    results.push({
      what: `bare INSERT of ${SIZE} rows, ${size}`,
      figure: rate(bare.rowsPerSecond),
      p50: time(bare.p50Ms),
      p99: time(bare.p99Ms),
    });
    bench.say(`POST /v1/events/batch of ${SIZE}, ${size}`);
    await settle(databaseUrl);
    const { key } = await newAccount(databaseUrl);
    const request = { method: "POST", paths: ["/v1/events/batch"], status: 201 } as const;
    const bodies = batches(events, SIZE);
    const posted = await httpLoad({ ...request, ...shape, baseUrl, bodies, keys: [key] });
    results.push({
      what: `POST /v1/events/batch of ${SIZE}, ${size}, one key`,
      figure: rate(posted.perSecond * SIZE),
      p50: time(posted.p50Ms),
      p99: time(posted.p99Ms),
      ratio: share(posted.perSecond * SIZE, bare.rowsPerSecond),
    });
  }
  return {
    title: "Batches",
    about:
      `${CONNECTIONS} connections. The bare insert puts the same rows ` +
      `into the same two tables, ${SIZE} a statement, ` +
      "each connection into an account of its own; the batches all go to one chain.",
    heads: ["events", "p50", "p99", "of bare INSERT"],
    results,
  };
}
