// Starts the export of traces if the configuration names an OTLP endpoint. Called once by serve.ts, before
// anything else is opened. Without an endpoint the SDK is not loaded, and no span is made. There is
// no automatic instrumentation: spans come from our own interceptors, hooks and wrappers (span.ts). It must
// never export the command line, which may hold a secret.

import { diag, DiagConsoleLogger, DiagLogLevel } from "@opentelemetry/api";
import { setTimeout as pause } from "node:timers/promises";
import type { ConfigOf } from "./config.ts";
import { EdgeSampler } from "./sampler.ts";
import type { tracingSettings } from "./settings.ts";

/** For the spans that wait when a process ends. An unreachable collector delays the end by this. */
const SHUTDOWN_TIMEOUT_MS = 3_000;

const TRACES_PATH = "/v1/traces";

export interface TracingOptions extends Partial<ConfigOf<typeof tracingSettings>> {
  /** The `service.name` of every span, unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES has one. */
  readonly serviceName: string;
  /** True for the gateway: clients may ask for traces, within the operator's share. */
  readonly isEdge?: boolean;
}

export interface Tracing {
  readonly isOn: boolean;
  /**
   * Sends the spans that wait, and stops. Never rejects: an unreachable collector must not keep a process up.
   */
  shutdown(): Promise<void>;
}

export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const { isEdge = false, otlpEndpoint, serviceName } = options;
  const endpoint = otlpEndpoint ?? options.otelEndpoint ?? options.otelTracesEndpoint;
  if (endpoint === undefined || options.otelDisabled === true) {
    return { isOn: false, shutdown: async () => {} };
  }
  const [{ NodeSDK }, { OTLPTraceExporter }, resources] = await Promise.all([
    import("@opentelemetry/sdk-node"),
    import("@opentelemetry/exporter-trace-otlp-proto"),
    import("@opentelemetry/resources"),
  ]);
  diag.setLogger(new DiagConsoleLogger(), DiagLogLevel.WARN);
  const { defaultResource, envDetector, resourceFromAttributes, serviceInstanceIdDetector } =
    resources;
  const sdk = new NodeSDK({
    resource: defaultResource().merge(resourceFromAttributes({ "service.name": serviceName })),
    // Only these: others would export the command line.
    resourceDetectors: [serviceInstanceIdDetector, envDetector],
    // Otherwise the SDK makes the exporter that OTEL_EXPORTER_OTLP_* describe.
    ...(otlpEndpoint !== undefined && {
      traceExporter: new OTLPTraceExporter({ url: tracesUrl(otlpEndpoint) }),
    }),
    sampler: new EdgeSampler({
      sampler: options.otelSampler ?? "parentbased_always_on",
      ratio: options.otelSamplerRatio ?? 1,
      isEdge,
    }),
    instrumentations: [],
    // Otherwise the SDK also exports metrics and logs as the environment says, and logs by default.
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  const end = async (): Promise<void> => {
    const timeout = pause(SHUTDOWN_TIMEOUT_MS, undefined, { ref: false });
    await Promise.race([sdk.shutdown().catch(() => undefined), timeout]);
  };
  return { isOn: true, shutdown: end };
}

/** Returns the URL for traces, given a base URL or one that already has the path of traces. */
export function tracesUrl(endpoint: string): string {
  const base = endpoint.replace(/\/+$/, "");
  return base.endsWith(TRACES_PATH) ? base : `${base}${TRACES_PATH}`;
}
