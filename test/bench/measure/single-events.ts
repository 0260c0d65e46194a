// Measures `POST /v1/events`, one event per request, at 64 connections, against Fastify that stores nothing.
// Called by main.ts and measure/verify.ts.

import { newAccount } from "@annals/testing";
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { averageBytes, cloudTrailEvents, singles, smallEvents } from "../bodies.ts";
import { costText, marked } from "../cpu.ts";
import type { Figures } from "../http-load.ts";
import { type Bench, multiple, type Result, type Section, shown } from "./bench.ts";
import type { Chain } from "./long-chain.ts";
import { type Costed, costedLoad } from "./load.ts";
import { interleaved, medians, medianRatio } from "./interleaved.ts";

const CONNECTIONS = 64;
const FASTIFY = fileURLToPath(new URL("../fastify-child.ts", import.meta.url));

export async function measureSingleEvents(bench: Bench): Promise<Section> {
  const small = smallEvents();
  const large = await cloudTrailEvents();
  const one = [(await newAccount(bench.databaseUrl)).key];
  const another = [(await newAccount(bench.databaseUrl)).key];
  const many: string[] = [];
  for (let i = 0; i < CONNECTIONS; i++) many.push((await newAccount(bench.databaseUrl)).key);

  const results = await withBareFastify(async (bareUrl) => {
    const bareBench = { ...bench, baseUrl: bareUrl };
    bench.say("warming up");
    const { firstWarmUpMs } = bench.options;
    await load(withTurnsOf(bench, firstWarmUpMs), singles(small), one);
    await load(withTurnsOf(bareBench, firstWarmUpMs), singles(small), []);
    const rows: Result[] = [];
    for (const [size, events, keys] of [
      ["small", small, one],
      ["CloudTrail", large, another],
    ] as const) {
      const bodies = singles(events);
      bench.say(`bare Fastify, and POST /v1/events, ${size}, one account and many`);
      const [bare, alone, spread] = await interleaved(bench.options.turns, [
        () => load(bareBench, bodies, []),
        () => load(bench, bodies, keys),
        () => load(bench, bodies, many),
      ] as const);
      rows.push(
        result(`bare Fastify POST, ${size}`, bare),
        result(`POST /v1/events, ${size}, one key`, alone, bare),
        result(`POST /v1/events, ${size}, ${CONNECTIONS} keys of as many accounts`, spread, bare),
      );
    }
    return rows;
  });
  return {
    title: "Single events",
    about:
      `${CONNECTIONS} connections, each with one request in flight. ` +
      `The small event has ${averageBytes(small)} bytes, ` +
      `the CloudTrail events of the example ${averageBytes(large)} on average. ` +
      "Fastify reads the same bodies, in a process of its own, and stores nothing.",
    heads: ["requests", "p50", "p99", "of bare Fastify"],
    results,
  };
}

/**
 * After a checkpoint PostgreSQL writes each changed page to its WAL in full once, which is most for a long
 * chain. Turns at the end of chains are longer by this factor, so that they do not measure full-page writes
 * alone.
 */
const LONGER_AT_CHAINS = 12;

/** The same at the ends of existing chains, interleaved. */
export async function measureOnChains(bench: Bench, chains: readonly Chain[]) {
  const longer = withTurnsOf(bench, bench.options.turnMs * LONGER_AT_CHAINS);
  const ends = chains.map(({ length }) => length.toLocaleString("en")).join(" and ");
  bench.say(`POST /v1/events, small, at the end of ${ends} events`);
  const bodies = singles(smallEvents());
  return interleaved(
    bench.options.turns,
    chains.map(
      ({ key }) =>
        () =>
          load(longer, bodies, [key]),
    ),
  );
}

function withTurnsOf(bench: Bench, turnMs: number): Bench {
  return { ...bench, options: { ...bench.options, turnMs } };
}

async function load(bench: Bench, bodies: readonly string[], keys: readonly string[]) {
  const { baseUrl, options } = bench;
  const { turnWarmUpMs: warmUpMs, turnMs: measureMs } = options;
  const request = { method: "POST", paths: ["/v1/events"], bodies, status: 201 } as const;
  const shape = { connections: CONNECTIONS, warmUpMs, measureMs };
  return costedLoad(bench, { ...request, ...shape, baseUrl, keys });
}

async function withBareFastify<T>(work: (baseUrl: string) => Promise<T>): Promise<T> {
  const child = fork(FASTIFY, { execArgv: ["-C", "source"] });
  try {
    const [port] = (await once(child, "message")) as [number];
    return await work(`http://127.0.0.1:${port}`);
  } finally {
    const ended = once(child, "exit");
    child.disconnect();
    await ended;
  }
}

function result(what: string, turns: readonly Costed[], bare?: readonly Figures[]): Result {
  return {
    what: marked(what, turns),
    ...shown(medians(turns)),
    ...(bare && {
      ratio: multiple(medianRatio("perSecond", turns, bare)),
      cost: costText(turns),
    }),
  };
}
