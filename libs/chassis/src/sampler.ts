// Decides which spans are recorded. Called by tracing.ts. The gateway decides once for a request; the
// services behind it follow. A client must never raise the share of recorded requests above the operator's
// (docs/operators/logs-and-traces.md).

import {
  type Attributes,
  type Context,
  type Link,
  SamplingDecision,
  type SpanKind,
  trace,
  TraceFlags,
} from "@opentelemetry/api";

/** The values of OTEL_TRACES_SAMPLER. */
export const SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

export interface SamplerOptions {
  readonly sampler: (typeof SAMPLERS)[number];
  /** Share of the traces that are recorded, from 0 to 1, for the samplers with `traceidratio`. */
  readonly ratio: number;
  /** True if requests come from clients; false if they come from our services only. */
  readonly isEdge: boolean;
  /** Returns a number from 0 to 1. */
  readonly random?: () => number;
}

export class EdgeSampler {
  readonly #options: SamplerOptions;
  readonly #share: number;

  constructor(options: SamplerOptions) {
    this.#options = options;
    this.#share = options.sampler.endsWith("traceidratio")
      ? options.ratio
      : Number(options.sampler.endsWith("always_on"));
  }

  shouldSample(
    context: Context,
    _traceId: string,
    _name: string,
    _kind: SpanKind,
    _attributes: Attributes,
    links: readonly Link[],
  ): { decision: SamplingDecision } {
    const isSampled = this.#isSampled(context, links);
    return {
      decision: isSampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
    };
  }

  #isSampled(context: Context, links: readonly Link[]): boolean {
    const { isEdge, random = Math.random, sampler } = this.#options;
    const parent = trace.getSpanContext(context);
    const isParentSampled = parent !== undefined && (parent.traceFlags & TraceFlags.SAMPLED) !== 0;
    const isOfClient = isEdge && (parent === undefined || parent.isRemote === true);
    if (!isOfClient) {
      return isParentSampled || links.some((link) => link.context.traceFlags & TraceFlags.SAMPLED);
    }
    if (parent && !isParentSampled && sampler.startsWith("parentbased")) return false;
    // Not by the trace id: a client chooses its own.
    return random() < this.#share;
  }
}
