// Starts the export of traces, for a process whose configuration names an OTLP endpoint. Called once by
// serve.ts before anything else is opened. Without an endpoint nothing of the SDK is loaded and spans cost
// next to nothing. No automatic instrumentation: spans come from our own interceptors, hooks and wrappers.

/** For one export, retries included; also what a collector that is away adds to the end of a process. */
const EXPORT_TIMEOUT_MS = 3_000;

export interface TracingOptions {
  /** The `service.name` of every span. */
  readonly serviceName: string;
  /** Base URL of an OTLP/HTTP collector, for example `http://collector:4318`; absent, nothing is traced. */
  readonly endpoint?: string | undefined;
}

export interface Tracing {
  /**
   * Sends what is still held, and stops. Never fails: a collector that is away must not keep a process up.
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
    // Else the SDK also exports metrics and logs as the environment tells it, and by default logs.
    metricReaders: [],
    logRecordProcessors: [],
    // The detectors would send the command line, which may hold a secret.
    autoDetectResources: false,
  });
  sdk.start();
  return { shutdown: () => sdk.shutdown().catch(() => undefined) };
}
