// Guarantees: the edge continues the trace of a client, and no client raises the share of recorded requests;
// what is malformed is ignored and what is large is cut. Work belongs to its own request, whichever has
// started it. Without an endpoint there is no span.

import { context, diag, propagation, SpanKind, trace } from "@opentelemetry/api";
import { afterEach, describe, expect, test } from "vitest";
import { parseConfig } from "./config.ts";
import { createLog } from "./log.ts";
import { EdgeSampler } from "./sampler.ts";
import { tracingSettings } from "./settings.ts";
import {
  activeSpan,
  inBatch,
  inTrace,
  isSampled,
  remoteSpan,
  startLinked,
  startRequestSpan,
  startSpan,
} from "./span.ts";
import { startTracing, type TracingOptions } from "./tracing.ts";

const NOWHERE = { otlpEndpoint: "http://127.0.0.1:1" };
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const SPAN_ID = "b7ad6b7169203331";
const SAMPLED = { traceparent: `00-${TRACE_ID}-${SPAN_ID}-01` };
const NOT_SAMPLED = { traceparent: `00-${TRACE_ID}-${SPAN_ID}-00` };
const REQUESTS = 2_000;

afterEach(() => {
  trace.disable();
  context.disable();
  propagation.disable();
  diag.disable();
});

const start = (options: Partial<TracingOptions> = {}) =>
  startTracing({ serviceName: "test", isEdge: true, ...NOWHERE, ...options });

const request = (headers: Record<string, string> = {}) => startRequestSpan("GET /", headers, {});

/** The recorded share of requests with these headers. */
function share(headers: Record<string, string>): number {
  const spans = Array.from({ length: REQUESTS }, () => request(headers));
  return spans.filter((span) => isSampled(span.spanContext())).length / REQUESTS;
}

describe("at the edge", () => {
  test("the trace of a client is continued", async () => {
    await start();
    expect(request(SAMPLED).spanContext()).toMatchObject({ traceId: TRACE_ID, traceFlags: 1 });
    expect(request(NOT_SAMPLED).spanContext()).toMatchObject({ traceId: TRACE_ID, traceFlags: 0 });
  });

  test("a client cannot raise the recorded share, by its flag or its trace id", async () => {
    await start({ otelSampler: "parentbased_traceidratio", otelSamplerRatio: 0.01 });
    const lowest = `00-${"0".repeat(31)}1-${SPAN_ID}-01`;
    for (const headers of [{}, SAMPLED, { traceparent: lowest }]) {
      expect(share(headers)).toBeLessThan(0.04);
    }
    expect(share(NOT_SAMPLED)).toBe(0);
  });

  test.each([
    ["always_on", 1, 1, 1],
    ["always_off", 0, 0, 0],
    ["traceidratio", 0.5, 0.5, 0.5],
    ["parentbased_always_on", 1, 1, 0],
    ["parentbased_always_off", 0, 0, 0],
    ["parentbased_traceidratio", 0.5, 0.5, 0],
  ] as const)("%s records %d, %d and %d", async (otelSampler, none, sampled, notSampled) => {
    await start({ otelSampler, otelSamplerRatio: 0.5 });
    expect(share({})).toBeCloseTo(none, 0.5);
    expect(share(SAMPLED)).toBeCloseTo(sampled, 0.5);
    expect(share(NOT_SAMPLED)).toBeCloseTo(notSampled, 0.5);
  });

  test.each([
    "",
    "x",
    `00-${TRACE_ID}-${SPAN_ID}`,
    `ff-${TRACE_ID}-${SPAN_ID}-01`,
    `00-${"0".repeat(32)}-${SPAN_ID}-01`,
    `00-${TRACE_ID}-${"0".repeat(16)}-01`,
    `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`,
    `${SAMPLED.traceparent}, ${SAMPLED.traceparent}`,
    `${SAMPLED.traceparent}\0`,
  ])("%j begins a trace of its own", async (traceparent) => {
    await start();
    const { traceFlags, traceId } = request({ traceparent }).spanContext();
    expect(traceFlags).toBe(1);
    expect(traceId).not.toBe(TRACE_ID);
  });

  test("tracestate is bounded, and baggage goes no further", async () => {
    await start();
    const tracestate = Array.from({ length: 100 }, (_, at) => `k${at}=${"v".repeat(50)}`).join();
    const span = request({ ...SAMPLED, tracestate, baggage: "user=secret" });
    expect(span.spanContext().traceState?.serialize().length).toBeLessThanOrEqual(512);
    const sent: Record<string, string> = {};
    inTrace(span, () => propagation.inject(context.active(), sent));
    expect(Object.keys(sent).toSorted()).toStrictEqual(["traceparent", "tracestate"]);
  });
});

describe("behind the edge", () => {
  const decide = (parent: number | undefined, link: number | undefined): number => {
    const spanContext = { traceId: TRACE_ID, spanId: SPAN_ID, isRemote: true };
    const given =
      parent === undefined
        ? context.active()
        : trace.setSpanContext(context.active(), { ...spanContext, traceFlags: parent });
    const links = link === undefined ? [] : [{ context: { ...spanContext, traceFlags: link } }];
    const sampler = new EdgeSampler({ sampler: "always_on", ratio: 1, isEdge: false });
    return sampler.shouldSample(given, TRACE_ID, "x", SpanKind.SERVER, {}, links).decision;
  };

  test("what the gateway has decided holds, and nothing begins by itself", () => {
    expect([decide(1, undefined), decide(undefined, 1)]).toStrictEqual([2, 2]);
    expect([
      decide(0, undefined),
      decide(undefined, 0),
      decide(undefined, undefined),
    ]).toStrictEqual([0, 0, 0]);
  });

  test("a linked span begins a trace of its own, which is recorded", async () => {
    await start({ isEdge: false });
    const origin = remoteSpan({ traceId: TRACE_ID, spanId: SPAN_ID });
    const { traceFlags, traceId } = startLinked("deliver", origin).spanContext();
    expect(traceFlags).toBe(1);
    expect(traceId).not.toBe(TRACE_ID);
  });
});

describe("work", () => {
  test("of several requests is in the first one's trace, and never in that of its starter", async () => {
    await start();
    const [first, second, starter] = [request(), request(), request()];
    const seen: (string | undefined)[] = [];
    const work = async () => void seen.push(activeSpan()?.spanContext().traceId);
    await inTrace(starter, async () => {
      await inBatch("none", [undefined], work);
      await inBatch("one", [undefined, second], work);
      await inBatch("two", [first, second], work);
    });
    expect(seen).toStrictEqual(
      [undefined, second, first].map((span) => span?.spanContext().traceId),
    );
  });

  test("of a request that is not recorded makes no span", async () => {
    await start({ otelSampler: "always_off" });
    expect(inTrace(request(), () => startSpan("child"))).toBeUndefined();
    expect(startSpan("root")).toBeUndefined();
  });

  test("logs the ids of its span", async () => {
    await start();
    const lines: string[] = [];
    const log = createLog({ service: "x", level: "info" }, { write: (line) => lines.push(line) });
    const span = request(SAMPLED);
    inTrace(span, () => log.info({ request_id: "req_1" }, "inside"));
    log.info("outside");
    const { spanId } = span.spanContext();
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ trace_id: TRACE_ID, span_id: spanId });
    expect(lines[1]).not.toContain("trace_id");
  });
});

describe("settings", () => {
  test.each([
    ["without an endpoint", { otlpEndpoint: undefined }],
    ["where OpenTelemetry is disabled", { otelDisabled: true }],
  ])("%s nothing is started", async (_, options) => {
    const tracing = await start(options);
    expect(tracing.isOn).toBe(false);
    expect(isSampled(request(SAMPLED).spanContext())).toBe(false);
    await tracing.shutdown();
  });

  test("a wrong one is refused by its name, without what may be a password", () => {
    const environment = {
      OTEL_TRACES_SAMPLER: "sometimes",
      OTEL_TRACES_SAMPLER_ARG: "1.01",
      OTEL_EXPORTER_OTLP_ENDPOINT: "ftp://user:hunter2@collector",
    };
    const read = (): unknown => parseConfig(tracingSettings, environment);
    expect(read).toThrow(/^OTEL_EXPORTER_OTLP_ENDPOINT must be a URL that begins with http/);
    expect(read).toThrow(/OTEL_TRACES_SAMPLER must be one of always_on/);
    expect(read).toThrow(/OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1/);
    expect(read).not.toThrow("hunter2");
  });
});
