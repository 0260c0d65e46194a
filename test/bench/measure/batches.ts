// `POST /v1/events/batch` of 100 events, against a bare insert of 100 rows a statement.

import { newAccount } from "@annals/testing";
import { bareInsert } from "../bare-insert.ts";
import { batches, cloudTrailEvents, smallEvents } from "../bodies.ts";
import { httpLoad } from "../http-load.ts";
import { settle } from "../settle.ts";
import { type Bench, rate, type Result, type Section, share, time } from "./bench.ts";

const SIZE = 100;
const FEW = 8;
const MANY = 64;

export async function measureBatches(bench: Bench): Promise<Section> {
  const small = { size: "small", events: smallEvents() };
  const large = { size: "CloudTrail", events: await cloudTrailEvents() };
  const results = [
    ...(await against(bench, { ...small, connections: FEW })),
    ...(await against(bench, { ...small, connections: MANY })),
    ...(await against(bench, { ...large, connections: FEW })),
  ];
  return {
    title: "Batches",
    about:
      `${FEW} connections unless told. The bare insert puts the same rows ` +
      `into the same two tables, ${SIZE} a statement, ` +
      "each connection into an account of its own; the batches all go to one chain.",
    heads: ["events", "p50", "p99", "of bare INSERT"],
    results,
  };
}

interface Form {
  readonly size: string;
  readonly events: readonly object[];
  readonly connections: number;
}

/** The bare insert, and the batches beside it. */
async function against(bench: Bench, { size, events, connections }: Form): Promise<Result[]> {
  const { baseUrl, databaseUrl, options } = bench;
  const { warmUpMs, measureMs } = options;
  const shape = { connections, warmUpMs, measureMs };
  const told = connections === FEW ? size : `${size}, ${connections} connections`;
  bench.say(`bare INSERT of ${SIZE} rows, ${told}`);
  await settle(databaseUrl);
  const bare = await bareInsert({ databaseUrl, events, size: SIZE, ...shape });
  bench.say(`POST /v1/events/batch of ${SIZE}, ${told}`);
  await settle(databaseUrl);
  const { key } = await newAccount(databaseUrl);
  const request = { method: "POST", paths: ["/v1/events/batch"], status: 201 } as const;
  const bodies = batches(events, SIZE);
  const posted = await httpLoad({ ...request, ...shape, baseUrl, bodies, keys: [key] });
  return [
    {
      what: `bare INSERT of ${SIZE} rows, ${told}`,
      figure: rate(bare.rowsPerSecond),
      p50: time(bare.p50Ms),
      p99: time(bare.p99Ms),
    },
    {
      what: `POST /v1/events/batch of ${SIZE}, ${told}, one key`,
      figure: rate(posted.perSecond * SIZE),
      p50: time(posted.p50Ms),
      p99: time(posted.p99Ms),
      ratio: share(posted.perSecond * SIZE, bare.rowsPerSecond),
    },
  ];
}
