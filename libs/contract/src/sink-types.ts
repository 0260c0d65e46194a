// The types of sinks (docs/sinks.md): what kind of receiver a sink sends to.

export const SINK_TYPES = ["http", "splunk_hec", "otlp_http", "syslog", "s3"] as const;
export type SinkType = (typeof SINK_TYPES)[number];
