// Slices of load: short measurements that alternate between the stacks, so that a machine that others use is
// the same for both. Called by compare.ts and reads.ts. CPU time is that of the threads, to the nanosecond.

import { preciseSeconds, withCost } from "../cpu.ts";
import { LoadGenerator, type LoadJob } from "../http-load.ts";
import type { Options } from "../options.ts";
import type { CheckoutStack } from "./checkout-stack.ts";
import { checkpoint } from "./checkpoint.ts";
import type { Run, Turn } from "./measure.ts";

const SHORTEST = 20;
/** Opening a connection must not be much of what a slice costs. */
const REQUESTS_OF_A_CONNECTION = 4;

/**
 * Warms the stack with requests of the kind that is measured: services take up to twice as long before V8 has
 * compiled what these requests need. Then each turn is a slice of as many requests.
 */
export async function sliced(
  stack: CheckoutStack,
  options: Options,
  job: Omit<LoadJob, "warmUpMs" | "measureMs" | "baseUrl">,
  eventsPerRequest: number,
): Promise<Run> {
  const generator = new LoadGenerator();
  const load = { ...job, baseUrl: stack.baseUrl, warmUpMs: 0 };
  const { sliceWarmUpMs: measureMs, sliceWarmUpRequests: maxRequests } = options;
  const warmed = await generator.run({ ...load, measureMs, maxRequests });
  await checkpoint(stack.databaseUrl);
  const requests = Math.max(
    SHORTEST,
    job.connections * REQUESTS_OF_A_CONNECTION,
    Math.round((warmed.perSecond * options.sliceMs) / 1_000),
  );
  const slice = (given = requests): Promise<Turn> =>
    withCost(
      stack.processes,
      async () => {
        const { p50Ms, p99Ms, ...figures } = await generator.run({
          ...load,
          measureMs,
          maxRequests: given,
        });
        const perSecond = figures.perSecond * eventsPerRequest;
        return { events: figures.requests * eventsPerRequest, perSecond, p50Ms, p99Ms };
      },
      preciseSeconds,
    );
  return { close: () => generator.close(), requests, turn: slice };
}
