// What is compared: a name, and one turn of one stack. Implemented by compare.ts (appends) and reads.ts.

import type { Figures } from "../http-load.ts";
import type { CheckoutStack } from "./checkout-stack.ts";

/** The figures of a turn: `perSecond` in events, and the CPU time of the stack per event. */
export interface Turn extends Figures {
  readonly cpuUs: number;
}

export interface Measure {
  readonly what: string;
  /** Prepares one stack, once. The function it resolves to is one turn. */
  readonly prepare: (stack: CheckoutStack) => Promise<() => Promise<Turn>>;
}
