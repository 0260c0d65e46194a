// What is compared: a name, and one turn of one stack. Called by compare.ts (appends) and reads.ts.

import { type Cost, withCost } from "../cpu.ts";
import type { Figures } from "../http-load.ts";
import type { CheckoutStack } from "./checkout-stack.ts";
import { checkpoint } from "./checkpoint.ts";

/** The figures of a turn: `perSecond` in events, and what an event cost. */
export type Turn = Figures & Cost;

/** One prepared stack. */
export interface Run {
  /** Requests of a slice; undefined if turns are not slices. All stacks make as many as the baseline. */
  readonly requests?: number;
  readonly turn: (requests?: number) => Promise<Turn>;
  readonly close?: () => void;
}

export interface Measure {
  readonly what: string;
  /** Prepares one stack, once. */
  readonly prepare: (stack: CheckoutStack) => Promise<Run>;
}

/** A turn from a checkpoint on, and the CPU time of the stack for each of the `events` that `work` made. */
export async function timed(
  { databaseUrl, processes }: CheckoutStack,
  work: () => Promise<Figures & { readonly events: number }>,
): Promise<Turn> {
  await checkpoint(databaseUrl);
  return withCost(processes, work);
}
