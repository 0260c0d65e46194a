// Measures appends with several gateways and ledgers against one of each, interleaved, each on a system of
// its own. Called by main.ts.

import { newAccount } from "@annals/testing";
import { startConstellation } from "../../system/constellation.ts";
import { batches, singles, smallEvents } from "../bodies.ts";
import { costText, marked } from "../cpu.ts";
import { type Bench, multiple, type Result, type Section, shown } from "./bench.ts";
import { interleaved, medians, medianRatio } from "./interleaved.ts";
import { type Costed, costedLoad } from "./load.ts";

/** The first is the baseline. */
const REPLICAS = [
  { gateway: 1, ledger: 1 },
  { gateway: 1, ledger: 2 },
  { gateway: 1, ledger: 3 },
  { gateway: 2, ledger: 2 },
] as const;

const BATCH = 100;

/** Loads of small events. */
const LOADS = [
  { what: "batches of 100, one account", accounts: 1, connections: 8, size: BATCH },
  { what: "batches of 100, 8 accounts", accounts: 8, connections: 8, size: BATCH },
  { what: "single events, one account", accounts: 1, connections: 64, size: 1 },
  { what: "single events, 64 accounts", accounts: 64, connections: 64, size: 1 },
] as const;

export async function measureReplicas(bench: Bench): Promise<Section> {
  const stacks = [];
  try {
    for (const replicas of REPLICAS) {
      const { rateLimitPerMinute } = bench;
      stacks.push(await startConstellation({ replicas, rateLimitPerMinute }));
    }
    const results: Result[] = [];
    for (const { what, accounts, connections, size } of LOADS) {
      bench.say(`${what}, with several gateways and ledgers`);
      const { turnWarmUpMs: warmUpMs, turnMs: measureMs, turns } = bench.options;
      const runs = stacks.map(async (stack) => {
        const keys: string[] = [];
        for (let n = 0; n < accounts; n += 1) keys.push((await newAccount(stack.databaseUrl)).key);
        const job = {
          baseUrl: stack.baseUrls,
          method: "POST",
          paths: [size === 1 ? "/v1/events" : "/v1/events/batch"],
          bodies: size === 1 ? singles(smallEvents()) : batches(smallEvents(), size),
          status: 201,
          keys,
          connections,
          warmUpMs,
          measureMs,
        } as const;
        return () => costedLoad(stack, job, size);
      });
      const measured = await interleaved(turns, await Promise.all(runs));
      results.push(...measured.map((taken, at) => row(what, at, taken, measured[0] ?? [])));
    }
    return {
      title: "Several gateways and ledgers",
      about:
        "Small events. Each row of replicas has a system of its own, PostgreSQL included, on the same machine: " +
        "on few CPUs more replicas can only cost. The ratio is to one gateway and one ledger.",
      heads: ["events", "p50", "p99", "of one and one"],
      results,
    };
  } finally {
    for (const stack of stacks) await stack.stop();
  }
}

function row(
  what: string,
  at: number,
  taken: readonly Costed[],
  baseline: readonly Costed[],
): Result {
  const { gateway, ledger } = REPLICAS[at] ?? REPLICAS[0];
  return {
    what: marked(`${what}: ${gateway} gateway, ${ledger} ledger`, taken),
    ...shown(medians(taken)),
    ratio: multiple(medianRatio("perSecond", taken, baseline)),
    cost: costText(taken),
  };
}
