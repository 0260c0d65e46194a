// What is compared: a name, and one turn of one stack. Called by compare.ts (appends) and reads.ts.

import { type Cost, withCost } from "../cpu.ts";
import type { Figures } from "../http-load.ts";
import type { CheckoutStack } from "./checkout-stack.ts";
import { checkpoint } from "./checkpoint.ts";

/** The figures of a turn: `perSecond` in events, and what an event cost. */
export type Turn = Figures & Cost;

export interface Measure {
  readonly what: string;
  /** Prepares one stack, once. The function it resolves to is one turn. */
  readonly prepare: (stack: CheckoutStack) => Promise<() => Promise<Turn>>;
}

/** A turn from a checkpoint on, and the CPU time of the stack for each of the `events` that `work` made. */
export async function timed(
  { databaseUrl, processes }: CheckoutStack,
  work: () => Promise<Figures & { readonly events: number }>,
): Promise<Turn> {
  await checkpoint(databaseUrl);
  return withCost(processes, work);
}
