// Opens the receiver of a sink, by its type. Called by the worker of sinks and by the test of a sink. It must
// never connect: a receiver does so when it sends.

import type { SinkConfig } from "./rules/sink.ts";
import { httpReceiver } from "./types/http/receiver.ts";
import { otlpHttpReceiver } from "./types/otlp-http/receiver.ts";
import { s3Receiver } from "./types/s3/receiver.ts";
import type { SinkDeps } from "./receiver/sink-http.ts";
import type { SinkReceiver } from "./receiver/sink-receiver.ts";
import { splunkHecReceiver } from "./types/splunk-hec/receiver.ts";
import { syslogReceiver } from "./types/syslog/receiver.ts";

export function openReceiver(config: SinkConfig, deps: SinkDeps): SinkReceiver {
  switch (config.type) {
    case "http":
      return httpReceiver(config, deps);
    case "splunk_hec":
      return splunkHecReceiver(config, deps);
    case "otlp_http":
      return otlpHttpReceiver(config, deps);
    case "syslog":
      return syslogReceiver(config, deps);
    case "s3":
      return s3Receiver(config, deps);
  }
}
