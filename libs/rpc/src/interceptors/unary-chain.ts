// A unary call through its interceptors, for the ends of our own: grpc-transport.ts and grpc-unary.ts. Unlike
// Connect's runner it makes no signal of its own, whose abort at the end of every call costs a stack trace.

import type { Interceptor, UnaryRequest, UnaryResponse } from "@connectrpc/connect";

export type UnaryNext = (request: UnaryRequest) => Promise<UnaryResponse>;

/** `interceptors` outermost first. */
export function unaryChain(interceptors: readonly Interceptor[], next: UnaryNext): UnaryNext {
  // An interceptor is typed for streams as well; given unary calls it makes unary calls.
  return interceptors.reduceRight<UnaryNext>(
    (inner, outer) => outer(inner as Parameters<Interceptor>[0]) as UnaryNext,
    next,
  );
}
