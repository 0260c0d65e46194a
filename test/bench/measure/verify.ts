// Measures the verification of a long chain, its effect on another account, and appends to the end of the
// chain. Called by main.ts.

import { newAccount } from "@annals/testing";
import { singles, smallEvents } from "../bodies.ts";
import { costText } from "../cpu.ts";
import { httpLoad, type LoadResult } from "../http-load.ts";
import { type Bench, multiple, rate, type Section, shown } from "./bench.ts";
import { type Chain, makeChain } from "./long-chain.ts";
import { measureOnChains } from "./single-events.ts";
import { medians, medianRatio, timedTurns } from "./interleaved.ts";

/** Events of a short chain. */
const SHORT = 10_000;

/**
 * Verification alone, then with a client of another account, then appends to the ends of a short chain and of
 * this one. Throws when the chain is not valid.
 */
export async function measureVerify(bench: Bench, chain: Chain): Promise<Section> {
  bench.say("GET /v1/verify");
  const { processes } = bench;
  const counted = { processes, events: chain.length };
  const { cost, seconds } = await timedTurns(bench.options.turns, counted, () =>
    verify(bench, chain),
  );
  bench.say("POST /v1/events, one connection, during GET /v1/verify");
  const beside = await whileVerifying(bench, chain);
  // In the same tables as the long one.
  const short = await makeChain(bench, SHORT);
  const [onShort = [], onLong = []] = await measureOnChains(bench, [short, chain]);
  return {
    title: "Verification, and appends to a long chain",
    about:
      `The chain of ${chain.length.toLocaleString("en")} small events in one request, the median of ${bench.options.turns}; ` +
      "meanwhile single events of another account, by one client that waits for each; " +
      `then single events as above, at the end of ${SHORT.toLocaleString("en")} events and of the long chain.`,
    heads: ["figure", "p50", "p99", "of the short chain"],
    results: [
      {
        what: "GET /v1/verify, events",
        cost,
        figure: rate(chain.length / seconds),
        p50: `${seconds.toFixed(1)} s in all`,
      },
      { what: "POST /v1/events, small, one client, during verification", ...shown(beside) },
      {
        what: "POST /v1/events, small, at the end of the short chain",
        ...shown(medians(onShort)),
        cost: costText(onShort),
      },
      {
        what: "POST /v1/events, small, at the end of the long chain",
        ...shown(medians(onLong)),
        ratio: multiple(medianRatio("perSecond", onLong, onShort)),
        cost: costText(onLong),
      },
    ],
  };
}

/** Resolves when the chain was verified and is valid. */
export async function verify(
  { baseUrl }: Pick<Bench, "baseUrl">,
  { key, length }: Chain,
): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${baseUrl}/v1/verify`, { headers });
  const { data } = (await response.json()) as { data: { valid: boolean; checked: number } };
  if (!data.valid || data.checked !== length) {
    throw new Error(`the long chain is not valid: ${JSON.stringify(data)}`);
  }
}

/** The figures of one client of another account while the chain is verified repeatedly. */
async function whileVerifying(bench: Bench, chain: Chain): Promise<LoadResult> {
  const { baseUrl, databaseUrl, options } = bench;
  const { warmUpMs, measureMs } = options;
  const { key } = await newAccount(databaseUrl);
  let isDone = false;
  const verifying = (async () => {
    while (!isDone) await verify(bench, chain);
  })();
  const load = httpLoad({
    baseUrl,
    method: "POST",
    paths: ["/v1/events"],
    bodies: singles(smallEvents()),
    keys: [key],
    connections: 1,
    warmUpMs: warmUpMs / 2,
    measureMs: measureMs / 2,
    status: 201,
  }).finally(() => (isDone = true));
  const [result] = await Promise.all([load, verifying]);
  return result;
}
