// Runs a unary call through its interceptors. Called by transport.ts and fast-path/unary-methods.ts. Unlike
// Connect's runner it creates no signal of its own: aborting one at the end of every call costs a stack
// trace.

import type { Interceptor, UnaryRequest, UnaryResponse } from "@connectrpc/connect";

export type UnaryNext = (request: UnaryRequest) => Promise<UnaryResponse>;

/** `interceptors` outermost first. */
export function unaryChain(interceptors: readonly Interceptor[], next: UnaryNext): UnaryNext {
  // The type of an interceptor covers streams too; given a unary call it makes a unary call.
  return interceptors.reduceRight<UnaryNext>(
    (inner, outer) => outer(inner as Parameters<Interceptor>[0]) as UnaryNext,
    next,
  );
}
