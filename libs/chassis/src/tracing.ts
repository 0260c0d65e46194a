// Starts the export of traces where the configuration names an OTLP endpoint. Called once by serve.ts, before
// anything else is opened. Without an endpoint the SDK is not loaded, and spans cost almost nothing. There is
// no automatic instrumentation: spans come from our own interceptors, hooks and wrappers.

/** For one export, retries included. An unreachable collector delays the end of a process by this. */
const EXPORT_TIMEOUT_MS = 3_000;

export interface TracingOptions {
  /** The `service.name` of every span. */
  readonly serviceName: string;
  /**
   * Base URL of an OTLP/HTTP collector, for example `http://collector:4318`. By default nothing is traced.
   */
  readonly endpoint?: string | undefined;
}

export interface Tracing {
  /**
   * Sends the spans that wait, and stops. Never rejects: an unreachable collector must not keep a process up.
   */
  shutdown(): Promise<void>;
}

export async function startTracing({ serviceName, endpoint }: TracingOptions): Promise<Tracing> {
  if (endpoint === undefined || endpoint === "") return { shutdown: async () => {} };
  const [{ NodeSDK }, { OTLPTraceExporter }] = await Promise.all([
    import("@opentelemetry/sdk-node"),
    import("@opentelemetry/exporter-trace-otlp-proto"),
  ]);
  const sdk = new NodeSDK({
    serviceName,
    traceExporter: new OTLPTraceExporter({
      url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
      timeoutMillis: EXPORT_TIMEOUT_MS,
    }),
    instrumentations: [],
    // Otherwise the SDK also exports metrics and logs as the environment says, and logs by default.
    metricReaders: [],
    logRecordProcessors: [],
    // The detectors would export the command line, which may hold a secret.
    autoDetectResources: false,
  });
  sdk.start();
  return { shutdown: () => sdk.shutdown().catch(() => undefined) };
}
