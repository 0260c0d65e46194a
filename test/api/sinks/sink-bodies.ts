// Sinks as clients send them, one of each type, with a secret wherever a type has one, and what no sink may
// be made of, with the member that the refusal names. Nothing is ever sent: the names do not resolve (RFC
// 2606).

import { ownerOf } from "@annals/testing";
import { expect } from "vitest";

/** In every secret of {@link SINKS}. */
export const SECRET = "t0p-s3cret";

const URL = "https://siem.annals.invalid/in";

/** Each type with its configuration in full, and as it is shown. */
export const SINKS = [
  {
    type: "http",
    config: { url: URL, headers: { "X-Key": SECRET }, body: "elastic", compress: true },
    shown: { url: URL, headers: { "X-Key": null }, body: "elastic", compress: true },
  },
  {
    type: "splunk_hec",
    config: { url: "https://splunk.annals.invalid:8088", token: SECRET, index: "audit", ack: true },
    shown: { url: "https://splunk.annals.invalid:8088", index: "audit", ack: true },
  },
  {
    type: "otlp_http",
    config: { url: URL, headers: { authorization: `Bearer ${SECRET}` } },
    shown: { url: URL, headers: { authorization: null } },
  },
  {
    type: "syslog",
    config: { host: "syslog.annals.invalid", port: 6514 },
    shown: { host: "syslog.annals.invalid", port: 6514 },
  },
  {
    type: "s3",
    config: {
      bucket: "acme-audit",
      prefix: "annals/",
      region: "eu-central-1",
      endpoint: "https://s3.annals.invalid",
      credentials: { access_key_id: "AKIA1", secret_access_key: SECRET },
    },
    shown: {
      bucket: "acme-audit",
      prefix: "annals/",
      region: "eu-central-1",
      endpoint: "https://s3.annals.invalid",
      credentials: { access_key_id: "AKIA1" },
    },
  },
  {
    type: "azure_event_hubs",
    config: {
      url: "https://acme.annals.invalid",
      event_hub: "audit",
      shared_access_key_name: "send",
      shared_access_key: SECRET,
    },
    shown: {
      url: "https://acme.annals.invalid",
      event_hub: "audit",
      shared_access_key_name: "send",
    },
  },
] as const;

/** The one that most tests take. */
export const SINK = { type: "http", config: SINKS[0].config };

const { credentials: _credentials, ...WITHOUT_CREDENTIALS } = SINKS[4].config;
const headers = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, "v"]));

/** Types with bad configurations. */
export const BAD_CONFIGS: readonly (readonly [type: unknown, config: unknown, field: string])[] = [
  ["http", {}, "config.url"],
  ["http", { url: 5 }, "config.url"],
  ["http", { url: "http://siem.annals.invalid/" }, "config.url"],
  ["http", { url: "https://10.0.0.1/" }, "config.url"],
  ["http", { url: "https://u:p@siem.annals.invalid/" }, "config.url"],
  ["http", { url: URL, body: "xml" }, "config.body"],
  ["http", { url: URL, compress: 1 }, "config.compress"],
  ["http", { url: URL, headers: [] }, "config.headers"],
  ["http", { url: URL, headers: { "x-a": 1 } }, "config.headers"],
  ["http", { url: URL, headers: { "": "v" } }, "config.headers"],
  ["http", { url: URL, headers: headers(21) }, "config.headers"],
  ["http", { url: URL, headers: { host: "v" } }, "config.headers.host"],
  ["http", { url: URL, headers: { "x-a": `${SECRET}\n` } }, "config.headers.x-a"],
  ["http", { url: URL, headers: { "x-a": SECRET.padEnd(4_097, "v") } }, "config.headers.x-a"],
  ["http", { url: URL, token: SECRET }, "config.token"],
  ["http", { host: "syslog.annals.invalid", port: 6514 }, "config.url"],
  ["splunk_hec", { url: "https://splunk.annals.invalid" }, "config.token"],
  ["splunk_hec", { url: URL, token: SECRET }, "config.url"],
  ["splunk_hec", { url: "https://splunk.annals.invalid", token: `${SECRET} ` }, "config.token"],
  [
    "splunk_hec",
    { url: "https://splunk.annals.invalid", token: SECRET, index: "A" },
    "config.index",
  ],
  ["otlp_http", { url: URL, body: "jsonl" }, "config.body"],
  ["syslog", { host: "syslog.annals.invalid" }, "config.port"],
  ["syslog", { host: "syslog.annals.invalid", port: 0 }, "config.port"],
  ["syslog", { host: "syslog.annals.invalid", port: 65_536 }, "config.port"],
  ["syslog", { host: "127.0.0.1", port: 6514 }, "config.host"],
  ["syslog", { host: "localhost", port: 6514 }, "config.host"],
  ["syslog", { host: "a/b", port: 6514 }, "config.host"],
  ["s3", { ...SINKS[4].config, bucket: "A" }, "config.bucket"],
  ["s3", { ...SINKS[4].config, prefix: "annals" }, "config.prefix"],
  ["s3", { ...SINKS[4].config, endpoint: "https://169.254.169.254" }, "config.endpoint"],
  ["s3", WITHOUT_CREDENTIALS, "config.credentials"],
  [
    "s3",
    { ...SINKS[4].config, credentials: { access_key_id: "a" } },
    "config.credentials.secret_access_key",
  ],
  ["azure_event_hubs", { ...SINKS[5].config, url: URL }, "config.url"],
  ["azure_event_hubs", { ...SINKS[5].config, url: "https://10.0.0.1" }, "config.url"],
  ["azure_event_hubs", { ...SINKS[5].config, event_hub: "a/b" }, "config.event_hub"],
  ["azure_event_hubs", SINKS[5].shown, "config.shared_access_key"],
  [
    "azure_event_hubs",
    { ...SINKS[5].config, shared_access_key: `${SECRET} ` },
    "config.shared_access_key",
  ],
  ["http", null, "config"],
  ["http", URL, "config"],
  ["kafka", { url: URL }, "type"],
  [5, { url: URL }, "type"],
];

/** Other members of a sink. */
export const BAD_MEMBERS: readonly (readonly [given: object, field: string])[] = [
  [{ format: "xml" }, "format"],
  [{ format: null }, "format"],
  [{ leave_out: "diff" }, "leave_out"],
  [{ leave_out: ["actor"] }, "leave_out[0]"],
  [{ include_proof: "yes" }, "include_proof"],
  [{ on_rejected: "drop" }, "on_rejected"],
  [{ active: null }, "active"],
  [{ mapping: { "a.b": { class: "account_change" } } }, "mapping"],
  [{ format: "ocsf", mapping: [] }, "mapping"],
  [{ format: "ocsf", mapping: { "a.b": {} } }, "mapping.a.b.class"],
  [{ format: "ocsf", mapping: { "a.b": { class: "x".repeat(16_384) } } }, "mapping"],
  [{ filter: { actions: "a" } }, "filter.actions"],
  [{ id: "sink_1" }, "id"],
  [{ status: "active" }, "status"],
];

/** What the tables of the service have of an account's sinks, as text. */
export async function storedOf(databaseUrl: string, accountId: string): Promise<string> {
  const owner = ownerOf(databaseUrl);
  const rows = await owner.query<{ whole: string }>(
    `SELECT sinks::text || encode(config_sealed, 'escape') AS whole FROM webhooks.sinks WHERE account_id = $1
     UNION ALL SELECT event FROM webhooks.audit_outbox WHERE account_id = $1`,
    [accountId],
  );
  await owner.close();
  expect(rows.length).toBeGreaterThan(0);
  return rows.map(({ whole }) => whole).join("\n");
}
