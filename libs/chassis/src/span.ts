// Spans of work inside a process. Called by the interceptors, the pool, the batchers and the workers. A span
// is made only if the work belongs to a request that is recorded: without one, nothing is made and no
// context is entered. So polling makes no spans, and with tracing off a call only reads an empty context.
// No span may hold a key, a body, a value of a query or a URL.

import {
  type Attributes,
  context,
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanOptions,
  SpanStatusCode,
  propagation,
  SpanKind,
  trace,
  TraceFlags,
} from "@opentelemetry/api";

export type { Span } from "@opentelemetry/api";

/** Kinds of spans, for those that know no OpenTelemetry. */
export const { CLIENT, CONSUMER, PRODUCER } = SpanKind;

/** Not once for the process: the API keeps the tracer of the SDK that was there first. */
const tracer = () => trace.getTracer("annals");

/** Links of one span; the SDK keeps no more by default. */
const MAX_LINKS = 128;

/** The span that the present work belongs to; undefined if it is not recorded. */
export function activeSpan(): Span | undefined {
  const span = trace.getSpan(context.active());
  return span && isSampled(span.spanContext()) ? span : undefined;
}

export function isSampled(given: SpanContext | undefined): given is SpanContext {
  return given !== undefined && (given.traceFlags & TraceFlags.SAMPLED) !== 0;
}

/** The span of a request of a client, in the trace that its headers name. It may not be recorded. */
export function startRequestSpan(
  name: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  attributes: Attributes,
): Span {
  // Only the span of it: what else a client sends with it goes no further.
  const parent = trace.getSpan(propagation.extract(ROOT_CONTEXT, headers));
  return tracer().startSpan(name, { kind: SpanKind.SERVER, attributes }, contextOf(parent));
}

/** A span of another process, as a parent or the target of a link. */
export function remoteSpan({ traceId, spanId }: Pick<SpanContext, "traceId" | "spanId">): Span {
  return trace.wrapSpanContext({
    traceId,
    spanId,
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
}

/** What is kept of a span beyond its end: a parent for others, and nothing that it holds. */
export function idsOf(span: Span): Span {
  return trace.wrapSpanContext(span.spanContext());
}

/** The header of W3C Trace Context, for those outside. */
export function traceparent(span: Span): string {
  const { traceId, spanId } = span.spanContext();
  return `00-${traceId}-${spanId}-01`;
}

/** Starts a child of the active span; undefined if no span is active. The caller ends it. */
export function startSpan(name: string, options?: SpanOptions): Span | undefined {
  return activeSpan() && tracer().startSpan(name, options);
}

/** Runs `work` as a part of `span`, or of none: whatever request has caused it to begin. */
export function inTrace<T>(span: Span | undefined, work: () => T): T {
  return context.with(contextOf(span), work);
}

/** Ends `span` with the outcome of `work`. */
export async function endWith<T>(span: Span | undefined, work: Promise<T>): Promise<T> {
  if (span === undefined) return work;
  try {
    return await work;
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** The message of an error may hold values: only its kind or name is kept, or the word given in its place. */
export function failSpan(span: Span, error: unknown): void {
  span.setAttribute("error.type", typeof error === "string" ? error : kindOf(error));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "kind" in error && typeof error.kind === "string" ? error.kind : error.name;
}

/**
 * A span for what several requests share: a child of the first, with a link to each of them if they are
 * several, and each of them with a link to it. Undefined if none is recorded.
 */
export function startShared(
  name: string,
  members: readonly (Span | undefined)[],
  options: SpanOptions = {},
): Span | undefined {
  const spans = recorded(members);
  const [first] = spans;
  if (first === undefined) return undefined;
  const links = spans.length > 1 ? linksTo(spans) : [];
  const span = tracer().startSpan(name, { ...options, links }, contextOf(first));
  if (spans.length > 1) {
    for (const member of spans) member.addLink({ context: span.spanContext() });
  }
  return span;
}

/** A span that begins a trace of its own, with a link to where it comes from. */
export function startLinked(name: string, origin: Span, options: SpanOptions = {}): Span {
  return tracer().startSpan(
    name,
    { ...options, links: linksTo([origin]), root: true },
    ROOT_CONTEXT,
  );
}

/** A child of a span that need not be active. */
export function startChild(name: string, parent: Span, options: SpanOptions = {}): Span {
  return tracer().startSpan(name, options, contextOf(parent));
}

/** Runs work that its members share: as a part of the only one that is recorded, or in a shared span. */
export function inBatch<T>(
  name: string,
  members: readonly (Span | undefined)[],
  work: () => Promise<T>,
): Promise<T> {
  const spans = recorded(members);
  if (spans.length < 2) return inTrace(spans[0], work);
  const span = startShared(name, spans);
  return endWith(span, inTrace(span, work));
}

/** What a log line names of the active span. */
export function logIds(): { trace_id?: string; span_id?: string } {
  const span = activeSpan()?.spanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}

function contextOf(span: Span | undefined): Context {
  return span === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, span);
}

function recorded(members: readonly (Span | undefined)[]): Span[] {
  return members.filter((member) => member !== undefined);
}

function linksTo(spans: readonly Span[]) {
  return spans.slice(0, MAX_LINKS).map((span) => ({ context: span.spanContext() }));
}
