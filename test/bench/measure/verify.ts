// What the verification of a long chain costs, what others notice of it, and appends to its end.

import { newAccount } from "@annals/testing";
import { singles, smallEvents } from "../bodies.ts";
import { httpLoad, type LoadResult } from "../http-load.ts";
import { type Bench, multiple, rate, type Section, shown } from "./bench.ts";
import { type Chain, makeChain } from "./long-chain.ts";
import { measureOnChains } from "./single-events.ts";
import { middle, middleShare, timedTurns } from "./turns.ts";

/** Events of a short chain. */
const SHORT = 10_000;

/**
 * Verification of the whole chain alone, with a client beside it, then appends to the ends of a short chain
 * and of this one.
 * Throws where the chain is not found valid.
 */
export async function measureVerify(bench: Bench, chain: Chain): Promise<Section> {
  bench.say("GET /v1/verify");
  const { seconds } = await timedTurns(bench.options.turns, () => verify(bench, chain));
  bench.say("POST /v1/events, one connection, during GET /v1/verify");
  const beside = await whileVerifying(bench, chain);
  // In the same tables.
  const short = await makeChain(bench, SHORT);
  const [onShort = [], onLong = []] = await measureOnChains(bench, [short, chain]);
  return {
    title: "Verification, and appends to a long chain",
    about:
      `The whole chain of ${chain.length.toLocaleString("en")} small events in one request, the median of ${bench.options.turns}; ` +
      "single events of another account by one client meanwhile, who waits for each; " +
      `then single events as above, at the end of ${SHORT.toLocaleString("en")} events and of the long chain.`,
    heads: ["figure", "p50", "p99", "of the short chain"],
    results: [
      {
        what: "GET /v1/verify, events",
        figure: rate(chain.length / seconds),
        p50: `${seconds.toFixed(1)} s in all`,
      },
      { what: "POST /v1/events, small, one client, during verification", ...shown(beside) },
      {
        what: "POST /v1/events, small, at the end of the short chain",
        ...shown(middle(onShort)),
      },
      {
        what: "POST /v1/events, small, at the end of the long chain",
        ...shown(middle(onLong)),
        ratio: multiple(middleShare("perSecond", onLong, onShort)),
      },
    ],
  };
}

/** Resolves when the whole chain is found valid. */
async function verify({ baseUrl }: Bench, { key, length }: Chain): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${baseUrl}/v1/verify`, { headers });
  const { data } = (await response.json()) as { data: { valid: boolean; checked: number } };
  if (!data.valid || data.checked !== length) {
    throw new Error(`the long chain is not as it should be: ${JSON.stringify(data)}`);
  }
}

/** What one client of another account gets while the chain is verified again and again. */
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
