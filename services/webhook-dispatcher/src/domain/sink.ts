// What a sink is (docs/sinks.md): the configurations of its five types, its formats, and what it has
// lost. The configuration is sealed as JSON of this form. Called by the handlers of sinks, by the
// worker and by the receivers.

export const SINK_FORMATS = ["annals", "ocsf", "ecs", "cloudevents"] as const;
export type SinkFormat = (typeof SINK_FORMATS)[number];

export interface HttpConfig {
  readonly type: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `elastic`: the `_bulk` request of Elasticsearch and OpenSearch. */
  readonly body: "jsonl" | "array" | "elastic";
  readonly compress: boolean;
}

export interface SplunkHecConfig {
  readonly type: "splunk_hec";
  /** Address of the collector, without its path. */
  readonly url: string;
  readonly token: string;
  readonly index?: string;
  /** Whether a batch counts as received when the indexer acknowledges it. */
  readonly ack: boolean;
}

export interface OtlpHttpConfig {
  readonly type: "otlp_http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface SyslogConfig {
  readonly type: "syslog";
  readonly host: string;
  readonly port: number;
}

export interface S3Config {
  readonly type: "s3";
  readonly bucket: string;
  /** Empty, or ending in `/`. */
  readonly prefix: string;
  readonly region: string;
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export type SinkConfig = HttpConfig | SplunkHecConfig | OtlpHttpConfig | SyslogConfig | S3Config;

/** A range of events that retention deleted before they were sent; both inclusive. */
export interface LostRange {
  readonly from: number;
  readonly to: number;
}

/** How a test was received. */
export interface SinkTestResult {
  readonly success: boolean;
  /** Why it was not accepted, in a sentence without secrets. */
  readonly error?: string;
}
