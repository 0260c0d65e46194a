// Sinks that send to the HTTP event collector of Splunk. The URL is its address, without a path of its API.

import { Type } from "typebox";
import { CLOSED, named, Secret, Text, WebhookUrl } from "../schema.ts";
import { checkUrl, fault, originOf, sinkType } from "../sink-type.ts";

const TOKEN = /^[!-~]+$/;
const INDEX = /^[a-z0-9_][a-z0-9_-]*$/;

export const splunkHec = sinkType({
  schema: named(
    "SplunkHecSinkConfig",
    Type.Object(
      {
        url: WebhookUrl,
        token: Secret("The token of the collector, a secret.", "b5c9-token", 1_024),
        index: Type.Optional(Text("Index of Splunk. Default: that of the token.", "audit", 80)),
        ack: Type.Optional(
          Type.Boolean({
            description: "Whether a batch counts as received when the indexer acknowledges it.",
            examples: [true],
          }),
        ),
      },
      CLOSED,
    ),
  ),
  defaults: { ack: false },
  check: (config, rules) => {
    const { pathname, search } = checkUrl(rules, "url", config.url);
    if (pathname !== "/" || search !== "") {
      throw fault("url", "must be the address of the collector without a path");
    }
    if (!TOKEN.test(config.token)) {
      throw fault("token", "must have 1 to 1024 visible characters of ASCII");
    }
    if (config.index !== undefined && !INDEX.test(config.index)) {
      throw fault("index", "must have 1 to 80 of a to z, 0 to 9, _ and -, and - not first");
    }
    return config;
  },
  batches: "stream",
  refusesEvents: true,
  receiver: originOf,
});
