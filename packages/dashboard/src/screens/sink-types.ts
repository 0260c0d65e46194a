// What each type of receiver needs, with the words of the form of a sink. Used by sink-fields.ts.

import type { NewSink, Sink } from "@annals/sdk";

export type Type = Sink["type"];

export const TYPES = {
  splunk_hec: "Splunk",
  http: "HTTPS: Elasticsearch, Datadog, or your own server",
  otlp_http: "OpenTelemetry Collector",
  syslog: "syslog over TLS",
  s3: "Bucket: Amazon S3 or compatible storage",
  azure_event_hubs: "Azure Event Hubs",
} satisfies Record<Type, string>;

export const FORMATS = {
  annals: "Annals: as in lists",
  ocsf: "OCSF",
  ecs: "ECS (Elastic)",
  cloudevents: "CloudEvents",
} satisfies Record<NonNullable<NewSink["format"]>, string>;

const BODIES = {
  jsonl: "a line per event",
  array: "an array (Datadog)",
  elastic: "the _bulk request of Elasticsearch and OpenSearch",
};

export const FROM = {
  start: "the first event that is kept",
  now: "the next one",
};

export const ON_REJECTED = {
  stop: "wait, and send nothing after it",
  skip: "pass over it, and record that",
};

/** A member of `config`. A dot leads into an object. */
export interface Member {
  readonly name: string;
  readonly label: string;
  /** `headers` is a line for each; an object has the values of a list. */
  readonly kind?:
    | "url"
    | "number"
    | "password"
    | "headers"
    | "flag"
    | Readonly<Record<string, string>>;
  readonly isOptional?: boolean;
  readonly value?: string;
  readonly hint?: string;
}

const HEADERS: Member = {
  name: "headers",
  label: "Headers",
  kind: "headers",
  isOptional: true,
  hint: "One a line, such as Authorization: ApiKey … Their values are not shown again",
};

export const MEMBERS: Readonly<Record<Type, readonly Member[]>> = {
  splunk_hec: [
    {
      name: "url",
      label: "URL of the collector",
      kind: "url",
      hint: "https://splunk.example.com:8088, without a path",
    },
    { name: "token", label: "Token", kind: "password", hint: "It is not shown again" },
    { name: "index", label: "Index", isOptional: true, hint: "Default: that of the token" },
    { name: "ack", label: "Wait for the acknowledgement of the indexer", kind: "flag" },
  ],
  http: [
    { name: "url", label: "URL", kind: "url", hint: "HTTPS, of a public host" },
    HEADERS,
    { name: "body", label: "Body of a request", kind: BODIES },
    { name: "compress", label: "Compress with gzip", kind: "flag" },
  ],
  otlp_http: [
    {
      name: "url",
      label: "URL of the logs endpoint",
      kind: "url",
      hint: "https://collector.example.com:4318/v1/logs",
    },
    HEADERS,
  ],
  syslog: [
    { name: "host", label: "Host", hint: "Name or address of a public host" },
    { name: "port", label: "Port", kind: "number", value: "6514" },
  ],
  s3: [
    { name: "bucket", label: "Bucket" },
    { name: "region", label: "Region", hint: "Such as eu-central-1" },
    {
      name: "prefix",
      label: "Prefix",
      isOptional: true,
      hint: "What the names of objects begin with, such as annals/",
    },
    {
      name: "endpoint",
      label: "Endpoint",
      kind: "url",
      isOptional: true,
      hint: "Of other storage than AWS",
    },
    { name: "credentials.access_key_id", label: "Access key id", isOptional: true },
    {
      name: "credentials.secret_access_key",
      label: "Secret access key",
      kind: "password",
      isOptional: true,
      hint: "It is not shown again. A key that may only write is enough",
    },
  ],
  azure_event_hubs: [
    {
      name: "url",
      label: "URL of the namespace",
      kind: "url",
      hint: "https://acme.servicebus.windows.net",
    },
    { name: "event_hub", label: "Event hub" },
    {
      name: "shared_access_key_name",
      label: "Name of the shared access key",
      hint: "Its policy has to allow Send",
    },
    {
      name: "shared_access_key",
      label: "Shared access key",
      kind: "password",
      hint: "It is not shown again",
    },
  ],
};
