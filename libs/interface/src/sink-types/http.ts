// Sinks that send to any HTTP server, or by the `_bulk` request of Elasticsearch and OpenSearch.

import { Type } from "typebox";
import { CLOSED, named, WebhookUrl } from "../schema.ts";
import { checkUrlAndHeaders, Headers } from "../sink-headers.ts";
import { originOf, sinkType } from "../sink-type.ts";

export const http = sinkType({
  schema: named(
    "HttpSinkConfig",
    Type.Object(
      {
        url: WebhookUrl,
        headers: Type.Optional(Headers),
        body: Type.Optional(
          Type.Enum(["jsonl", "array", "elastic"], {
            description:
              "A line per event, an array of events, or the `_bulk` request of Elasticsearch and OpenSearch.",
            examples: ["jsonl"],
          }),
        ),
        compress: Type.Optional(
          Type.Boolean({ description: "Whether bodies are gzip.", examples: [true] }),
        ),
      },
      CLOSED,
    ),
  ),
  defaults: { headers: {}, body: "jsonl", compress: false },
  check: checkUrlAndHeaders,
  batches: "stream",
  refusesEvents: true,
  receiver: originOf,
});
