// The types of sinks: what kind of receiver a sink sends to (docs/adding-a-sink-type.md). The gateway makes
// the schemas of its routes from this table, the dispatcher checks by it, the chart's schema is made from it.

import type { StoredConfig } from "./sink-type.ts";
import { azureEventHubs } from "./sink-types/azure-event-hubs.ts";
import { http } from "./sink-types/http.ts";
import { otlpHttp } from "./sink-types/otlp-http.ts";
import { s3 } from "./sink-types/s3.ts";
import { splunkHec } from "./sink-types/splunk-hec.ts";
import { syslog } from "./sink-types/syslog.ts";

export const SINK_TYPES = {
  http,
  splunk_hec: splunkHec,
  otlp_http: otlpHttp,
  syslog,
  s3,
  azure_event_hubs: azureEventHubs,
} as const;

export type SinkType = keyof typeof SINK_TYPES;

export const SINK_TYPE_NAMES = Object.keys(SINK_TYPES) as readonly SinkType[];

/** The configurations by their type, as they are stored and as the dispatcher gets them, in JSON. */
export type SinkConfigs = {
  readonly [Type in SinkType]: { readonly type: Type } & StoredConfig<(typeof SINK_TYPES)[Type]>;
};
export type SinkConfig = SinkConfigs[SinkType];
