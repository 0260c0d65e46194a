// The form of a sink: what each type of receiver needs, and the body for /v1/sinks that the form gives. Used
// by sinks.ts. A secret is in the form until the sink is created, and nowhere else.

import type { NewSink, Sink } from "@annals/sdk";
import { html, type TemplateResult } from "lit/html.js";
import { keyed } from "lit/directives/keyed.js";
import { valueFields, valuesIn } from "../parts/filter-fields.ts";
import { area, checkbox, choices, chosenIn, field, select, textIn } from "../parts/form.ts";
import { PARTS } from "../words.ts";

type Type = Sink["type"];

const TYPES = {
  splunk_hec: "Splunk",
  http: "HTTPS: Elasticsearch, Datadog, or your own server",
  otlp_http: "OpenTelemetry Collector",
  syslog: "syslog over TLS",
  s3: "Bucket: Amazon S3 or compatible storage",
  azure_event_hubs: "Azure Event Hubs",
} satisfies Record<Type, string>;

const FORMATS = {
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

const FROM = {
  start: "the first event that is kept",
  now: "the next one",
};

const ON_REJECTED = {
  stop: "wait, and send nothing after it",
  skip: "pass over it, and record that",
};

/** A member of `config`. A dot leads into an object. */
interface Member {
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

const MEMBERS: Readonly<Record<Type, readonly Member[]>> = {
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

export const FIRST_TYPE: Type = "splunk_hec";

/** `onType` is called with the type that a person chooses. A new form has another `number`. */
export function sinkFields(
  type: Type,
  number: number,
  onType: (type: Type) => void,
): TemplateResult {
  const choose = (event: Event) => onType((event.currentTarget as HTMLSelectElement).value as Type);
  const flags = MEMBERS[type].filter(({ kind }) => kind === "flag");
  const rest = MEMBERS[type].filter(({ kind }) => kind !== "flag");
  // No field becomes that of another type: what was entered as a secret would be shown.
  return html`${keyed(
    number,
    html`${select({ name: "type", label: "Receiver", values: TYPES, chosen: type, onChange: choose })}
      ${keyed(
        type,
        html`<div class="fields">${rest.map(memberView)}</div>
          ${flags.map(memberView)}`,
      )}
      <div class="fields">
        ${select({ name: "first", label: "Begin with", values: FROM })}
        ${select({ name: "format", label: "Format", values: FORMATS })}
      </div>
      <details>
        <summary>What is sent</summary>
        ${choices({ name: "leave_out", label: "Parts that are left out", values: PARTS })}
        ${checkbox("include_proof", "With proofs: who has them can confirm a guess at an erased value")}
        ${select({ name: "on_rejected", label: "An event that the receiver refuses", values: ON_REJECTED })}
      </details>
      ${valueFields()}`,
  )}`;
}

function memberView({
  name,
  label,
  kind,
  isOptional = false,
  value,
  hint,
}: Member): TemplateResult {
  const given = { name, label, isRequired: !isOptional, value, hint };
  if (kind === "flag") return checkbox(name, label);
  if (kind === "headers") return area(given);
  if (typeof kind === "object") return select({ name, label, values: kind });
  return field({ ...given, type: kind });
}

/** The body of POST /v1/sinks. */
export function sinkIn(form: FormData, type: Type): NewSink {
  const filter = valuesIn(form);
  return {
    type,
    config: configIn(form, MEMBERS[type]),
    from: textIn(form, "first"),
    format: textIn(form, "format"),
    leave_out: chosenIn(form, "leave_out", PARTS),
    include_proof: form.has("include_proof"),
    on_rejected: textIn(form, "on_rejected"),
    ...(Object.keys(filter).length > 0 && { filter }),
  } as NewSink;
}

function configIn(form: FormData, members: readonly Member[]): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const { name, kind } of members) {
    const text = textIn(form, name);
    if (text === "") continue;
    const [outer = "", inner] = name.split(".");
    const value =
      kind === "flag" ||
      (kind === "number" ? Number(text) : kind === "headers" ? headersIn(text) : text);
    config[outer] = inner === undefined ? value : { ...(config[outer] as object), [inner]: value };
  }
  return config;
}

function headersIn(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.indexOf(":");
      // The line is not repeated: it may be a secret.
      if (end < 1) throw new Error("A header has no name: write a name, a colon and the value.");
      return [line.slice(0, end).trim(), line.slice(end + 1).trim()];
    }),
  );
}
