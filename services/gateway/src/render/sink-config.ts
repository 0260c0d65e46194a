// The configurations of sinks by their type (docs/interface.md), as clients send them, as they are shown, and
// as the webhook dispatcher gets them. Called by sink.ts. The webhook dispatcher checks the values; what is
// shown has no secret.

import { invalid } from "@annals/errors";
import {
  HttpBody,
  type SinkConfig,
  type SinkConfigSchema,
  type SinkHeader,
} from "@annals/proto/sinks";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Type, type Static } from "typebox";
import { CLOSED, FreeForm, named } from "./schema.ts";
import { WebhookUrl } from "./webhook.ts";

const BODIES = ["jsonl", "array", "elastic"] as const;
const MAX_PORT = 65_535;

const BODY_NUMBERS = {
  jsonl: HttpBody.JSONL,
  array: HttpBody.ARRAY,
  elastic: HttpBody.ELASTIC,
} as const;

const Text = (description: string, example: string, maxLength: number) =>
  Type.String({ minLength: 1, maxLength, description, examples: [example] });

const Headers = Type.Optional(
  FreeForm(
    "Up to 20 headers of each request, with their values, which are secrets. Default: none.",
    { authorization: "Bearer 5c0p3d" },
  ),
);

const ShownHeaders = FreeForm("The names of the headers; their values are not shown.", {
  authorization: null,
});

const Body = Type.Enum([...BODIES], {
  description:
    "A line per event, an array of events, or the `_bulk` request of Elasticsearch and OpenSearch.",
  examples: ["jsonl"],
});

const Index = Text("Index of Splunk. Default: that of the token.", "audit", 80);
const Host = Text("Name or address of a public host.", "syslog.example.com", 255);
const Port = Type.Integer({ minimum: 1, maximum: MAX_PORT, examples: [6514] });
const Bucket = Text("Name of the bucket.", "acme-audit", 63);
const Region = Text("Region of the bucket.", "eu-central-1", 63);

const Prefix = Type.String({
  maxLength: 512,
  description: "What object names begin with; empty, or ends in a slash.",
  examples: ["annals/"],
});

const AccessKeyId = Text("Id of the access key.", "AKIAIOSFODNN7EXAMPLE", 256);

const Credentials = named(
  "SinkCredentials",
  Type.Object(
    {
      access_key_id: AccessKeyId,
      secret_access_key: Text("A secret.", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", 1_024),
    },
    CLOSED,
  ),
);

const Compress = Type.Boolean({ description: "Whether bodies are gzip.", examples: [true] });
const Ack = Type.Boolean({
  description: "Whether a batch counts as received when the indexer acknowledges it.",
  examples: [true],
});

export const HttpConfig = named(
  "HttpSinkConfig",
  Type.Object(
    {
      url: WebhookUrl,
      headers: Headers,
      body: Type.Optional(Body),
      compress: Type.Optional(Compress),
    },
    CLOSED,
  ),
);

export const SplunkHecConfig = named(
  "SplunkHecSinkConfig",
  Type.Object(
    {
      url: WebhookUrl,
      token: Text("The token of the collector, a secret.", "b5c9-token", 1_024),
      index: Type.Optional(Index),
      ack: Type.Optional(Ack),
    },
    CLOSED,
  ),
);

export const OtlpHttpConfig = named(
  "OtlpHttpSinkConfig",
  Type.Object({ url: WebhookUrl, headers: Headers }, CLOSED),
);

export const SyslogConfig = named(
  "SyslogSinkConfig",
  Type.Object({ host: Host, port: Port }, CLOSED),
);

export const S3Config = named(
  "S3SinkConfig",
  Type.Object(
    {
      bucket: Bucket,
      prefix: Type.Optional(Prefix),
      region: Region,
      endpoint: Type.Optional(WebhookUrl),
      credentials: Type.Optional(Credentials),
    },
    CLOSED,
  ),
);

/** The configurations in a response. Which one a sink has is its `type`. */
export const ShownConfig = Type.Union([
  named(
    "HttpSinkConfigShown",
    Type.Object({ url: WebhookUrl, headers: ShownHeaders, body: Body, compress: Compress }),
  ),
  named(
    "SplunkHecSinkConfigShown",
    Type.Object({ url: WebhookUrl, index: Type.Optional(Index), ack: Ack }),
  ),
  named("OtlpHttpSinkConfigShown", Type.Object({ url: WebhookUrl, headers: ShownHeaders })),
  named("SyslogSinkConfigShown", Type.Object({ host: Host, port: Port })),
  named(
    "S3SinkConfigShown",
    Type.Object({
      bucket: Bucket,
      prefix: Prefix,
      region: Region,
      endpoint: Type.Optional(WebhookUrl),
      credentials: Type.Optional(Type.Object({ access_key_id: AccessKeyId })),
    }),
  ),
]);

/** A type with the configuration that a client gives for it. */
export type Given =
  | { readonly type: "http"; readonly config: Static<typeof HttpConfig> }
  | { readonly type: "splunk_hec"; readonly config: Static<typeof SplunkHecConfig> }
  | { readonly type: "otlp_http"; readonly config: Static<typeof OtlpHttpConfig> }
  | { readonly type: "syslog"; readonly config: Static<typeof SyslogConfig> }
  | { readonly type: "s3"; readonly config: Static<typeof S3Config> };

type ConfigMessage = MessageInitShape<typeof SinkConfigSchema>;

export function configMessage(given: Given): ConfigMessage {
  switch (given.type) {
    case "http": {
      const { body = "jsonl", compress = false, headers, url } = given.config;
      const value = { url, headers: headersOf(headers), body: BODY_NUMBERS[body], compress };
      return { type: { case: "http", value } };
    }
    case "splunk_hec": {
      const { ack = false, ...config } = given.config;
      return { type: { case: "splunkHec", value: { ...config, ack } } };
    }
    case "otlp_http": {
      const { headers, url } = given.config;
      return { type: { case: "otlpHttp", value: { url, headers: headersOf(headers) } } };
    }
    case "syslog":
      return { type: { case: "syslog", value: given.config } };
    case "s3": {
      const { credentials, prefix = "", ...config } = given.config;
      const value = {
        ...config,
        prefix,
        ...(credentials && {
          credentials: {
            accessKeyId: credentials.access_key_id,
            secretAccessKey: credentials.secret_access_key,
          },
        }),
      };
      return { type: { case: "s3", value } };
    }
  }
}

function headersOf(given: Readonly<Record<string, unknown>> = {}) {
  return Object.entries(given).map(([name, value]) => {
    if (typeof value === "string") return { name, value };
    throw invalid({ field: "config.headers", message: "must have texts as values" });
  });
}

/** The type of a sink and its configuration, as they are shown. */
export function renderConfig(given: SinkConfig | undefined) {
  const of = given?.type;
  switch (of?.case) {
    case "http": {
      const { body, compress, headers, url } = of.value;
      const config = { url, headers: namesOf(headers), body: bodyOf(body), compress };
      return { type: "http", config };
    }
    case "splunkHec": {
      const { ack, index, url } = of.value;
      return { type: "splunk_hec", config: { url, ...(index !== undefined && { index }), ack } };
    }
    case "otlpHttp": {
      const { headers, url } = of.value;
      return { type: "otlp_http", config: { url, headers: namesOf(headers) } };
    }
    case "syslog": {
      const { host, port } = of.value;
      return { type: "syslog", config: { host, port } };
    }
    case "s3": {
      const { bucket, credentials, endpoint, prefix, region } = of.value;
      const config = {
        bucket,
        prefix,
        region,
        ...(endpoint !== undefined && { endpoint }),
        ...(credentials && { credentials: { access_key_id: credentials.accessKeyId } }),
      };
      return { type: "s3", config };
    }
    case undefined:
      return { type: "", config: {} };
  }
}

const bodyOf = (body: HttpBody) => BODIES.find((name) => BODY_NUMBERS[name] === body) ?? "";

const namesOf = (headers: readonly SinkHeader[]) =>
  Object.fromEntries(headers.map(({ name }) => [name, null]));
