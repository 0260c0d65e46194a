// Opens the receiver of a sink, by its type. Called by the worker of sinks and by the test of a sink. It must
// never connect: a receiver does so when it sends.

import type { SinkConfig, SinkConfigs, SinkType } from "@annals/interface";
import type { SinkDeps } from "./receiver/sink-http.ts";
import type { SinkReceiver } from "./receiver/sink-receiver.ts";
import { azureEventHubsReceiver } from "./types/azure-event-hubs/azure-event-hubs-receiver.ts";
import { httpReceiver } from "./types/http/http-receiver.ts";
import { otlpHttpReceiver } from "./types/otlp-http/otlp-http-receiver.ts";
import { s3Receiver } from "./types/s3/s3-receiver.ts";
import { splunkHecReceiver } from "./types/splunk-hec/splunk-hec-receiver.ts";
import { syslogReceiver } from "./types/syslog/syslog-receiver.ts";

const RECEIVERS: {
  readonly [Type in SinkType]: (config: SinkConfigs[Type], deps: SinkDeps) => SinkReceiver;
} = {
  http: httpReceiver,
  splunk_hec: splunkHecReceiver,
  otlp_http: otlpHttpReceiver,
  syslog: syslogReceiver,
  s3: s3Receiver,
  azure_event_hubs: azureEventHubsReceiver,
};

export function openReceiver(config: SinkConfig, deps: SinkDeps): SinkReceiver {
  const open = RECEIVERS[config.type] as (given: SinkConfig, deps: SinkDeps) => SinkReceiver;
  return open(config, deps);
}
