// The traces that deliveries belong to: those of the requests that have stored their entries. Called by the
// fan-out.

import { activeSpan, type Span } from "@annals/chassis";
import type { NoticeTrace } from "@annals/messaging";
import type { Entry } from "../rules/payload.ts";

/** A span of the producer, and the entries that it has stored. */
export interface OriginTrace extends NoticeTrace {
  readonly span: Span;
}

/** Span that the deliveries of an entry come from: the fan-out's own, if it works on a single request. */
export function originOf(
  entry: Entry | undefined,
  traces: readonly OriginTrace[],
): Span | undefined {
  const position = entry?.position ?? 0n;
  const found = traces.find(({ first, last }) => first <= position && position <= last);
  return found && traces.length === 1 ? activeSpan() : found?.span;
}
