// Sinks that send logs of OTLP over HTTP. The URL is that of the logs, such as https://collector/v1/logs.

import { Type } from "typebox";
import { CLOSED, named, WebhookUrl } from "../schema.ts";
import { checkUrlAndHeaders, Headers } from "../sink-headers.ts";
import { originOf, sinkType } from "../sink-type.ts";

export const otlpHttp = sinkType({
  schema: named(
    "OtlpHttpSinkConfig",
    Type.Object({ url: WebhookUrl, headers: Type.Optional(Headers) }, CLOSED),
  ),
  defaults: { headers: {} },
  check: checkUrlAndHeaders,
  batches: "stream",
  refusesEvents: true,
  receiver: originOf,
});
