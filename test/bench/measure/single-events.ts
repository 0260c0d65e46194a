// `POST /v1/events`, one event a request, at 64 connections, against Fastify that stores nothing.

import { newAccount } from "@annals/testing";
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { averageBytes, cloudTrailEvents, singles, smallEvents } from "../bodies.ts";
import { httpLoad, type LoadResult } from "../http-load.ts";
import { settle } from "../settle.ts";
import { type Bench, rate, type Result, type Section, share, time } from "./bench.ts";
import type { Chain } from "./long-chain.ts";

const CONNECTIONS = 64;
const FASTIFY = fileURLToPath(new URL("../fastify-child.ts", import.meta.url));

export async function measureSingleEvents(bench: Bench): Promise<Section> {
  const small = smallEvents();
  const large = await cloudTrailEvents();
  const one = [(await newAccount(bench.databaseUrl)).key];
  const another = [(await newAccount(bench.databaseUrl)).key];
  const many: string[] = [];
  for (let i = 0; i < CONNECTIONS; i++) many.push((await newAccount(bench.databaseUrl)).key);

  bench.say("warming up");
  const { firstWarmUpMs } = bench.options;
  await load(
    { ...bench, options: { ...bench.options, measureMs: firstWarmUpMs } },
    singles(small),
    one,
  );
  const results: Result[] = [];
  for (const [size, events] of [
    ["small", small],
    ["CloudTrail", large],
  ] as const) {
    const bodies = singles(events);
    bench.say(`bare Fastify, ${size}`);
    const bare = await bareFastify(bench, bodies);
    results.push(result(`bare Fastify POST, ${size}`, bare));
    const keys = size === "small" ? one : another;
    bench.say(`POST /v1/events, ${size}, one account`);
    results.push(
      result(`POST /v1/events, ${size}, one key`, await load(bench, bodies, keys), bare),
    );
    bench.say(`POST /v1/events, ${size}, many accounts`);
    const spread = await load(bench, bodies, many);
    results.push(
      result(`POST /v1/events, ${size}, ${CONNECTIONS} keys of as many accounts`, spread, bare),
    );
  }
  return {
    title: "Single events",
    about:
      `${CONNECTIONS} connections, each with one request under way. ` +
      `The small event has ${averageBytes(small)} bytes, ` +
      `the CloudTrail events of the example ${averageBytes(large)} on average. ` +
      "Fastify reads the same bodies, in a process of its own, and stores nothing.",
    heads: ["requests", "p50", "p99", "of bare Fastify"],
    results,
  };
}

/** The same for one key whose chain is there already. */
export async function measureOnChain(bench: Bench, { key, length }: Chain): Promise<LoadResult> {
  bench.say(`POST /v1/events, small, at the end of ${length.toLocaleString("en")} events`);
  return load(bench, singles(smallEvents()), [key]);
}

async function load(bench: Bench, bodies: readonly string[], keys: readonly string[]) {
  const { baseUrl, databaseUrl, options } = bench;
  await settle(databaseUrl);
  const { warmUpMs, measureMs } = options;
  const request = { method: "POST", paths: ["/v1/events"], bodies, status: 201 } as const;
  return httpLoad({ ...request, baseUrl, keys, connections: CONNECTIONS, warmUpMs, measureMs });
}

async function bareFastify(bench: Bench, bodies: readonly string[]): Promise<LoadResult> {
  const child = fork(FASTIFY, { execArgv: ["-C", "source"] });
  try {
    const [port] = (await once(child, "message")) as [number];
    return await load({ ...bench, baseUrl: `http://127.0.0.1:${port}` }, bodies, []);
  } finally {
    const ended = once(child, "exit");
    child.disconnect();
    await ended;
  }
}

function result(what: string, { perSecond, p50Ms, p99Ms }: LoadResult, bare?: LoadResult): Result {
  return {
    what,
    figure: rate(perSecond),
    p50: time(p50Ms),
    p99: time(p99Ms),
    ...(bare && { ratio: share(perSecond, bare.perSecond) }),
  };
}
