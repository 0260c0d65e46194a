// Guarantee: a configuration is stored only within its limits, tested at their edge, and no sink is sent to a
// private address, whatever its type. A refusal names the member and never repeats a value.

import {
  checkSinkConfig,
  MAX_CONFIG_BYTES,
  MAX_HEADER_NAME_LENGTH,
  MAX_HEADER_VALUE_LENGTH,
  MAX_HEADERS,
  SINK_TYPE_NAMES,
  type SinkType,
} from "@annals/interface";
import { describe, expect, test } from "vitest";
import { AddressGuard } from "../outbound/address-guard.ts";
import { configRules } from "./config-rules.ts";
import { givenConfig } from "./sink-members.ts";
import { checkMapping, MAX_MAPPING_BYTES, MAX_MAPPING_ENTRIES } from "./rules/check-mapping.ts";

const guard = new AddressGuard({ resolve: async () => [], allowPrivateAddresses: false });

const URL = "https://siem.example.com/in";
const KEYS = { access_key_id: "AKIA1", secret_access_key: "s3cret/+=" };
const GIVEN: Readonly<Record<SinkType, object>> = {
  http: { url: URL },
  splunk_hec: { url: "https://splunk.example.com:8088", token: "t0ken-s3cret", ack: true },
  otlp_http: { url: URL },
  syslog: { host: "log.example.com", port: 6514 },
  s3: { bucket: "audit-log", region: "eu-central-1", credentials: KEYS },
  azure_event_hubs: {
    url: "https://acme.servicebus.windows.net",
    event_hub: "audit",
    shared_access_key_name: "send",
    shared_access_key: "s3cret/+=",
  },
};

/** Checks a configuration that an RPC carries, as its handler does. */
function check(type: SinkType, given: object = {}, allowProcessCredentials = false) {
  const text = JSON.stringify({ type, ...GIVEN[type], ...given });
  return checkSinkConfig(configRules(guard, allowProcessCredentials), givenConfig(text));
}

/** The fields of a refusal; undefined if it is accepted. Fails for a text with a secret. */
function fieldsOf(run: () => unknown): string[] | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    const { faults, kind, message } = error as {
      kind: string;
      message: string;
      faults: { field: string }[];
    };
    expect(kind).toBe("invalid");
    expect(message).not.toMatch(/s3cret/);
    return faults.map(({ field }) => field);
  }
}

const header = (name: string, value: unknown = "v") => ({
  headers: Object.fromEntries([[name, value]]),
});
const headers = (count: number) => ({
  headers: Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, "v"])),
});

describe("each type as it is stored", () => {
  const DEFAULTS: Readonly<Record<SinkType, object>> = {
    http: { headers: {}, body: "jsonl", compress: false },
    splunk_hec: {},
    otlp_http: { headers: {} },
    syslog: {},
    s3: { prefix: "" },
    azure_event_hubs: {},
  };

  test.each(SINK_TYPE_NAMES)("%s", (type) => {
    expect(check(type)).toEqual({ type, ...GIVEN[type], ...DEFAULTS[type] });
  });

  test("an event hub with a short name", () => {
    expect(check("azure_event_hubs", { event_hub: "a" })).toMatchObject({ event_hub: "a" });
    expect(check("azure_event_hubs", { event_hub: "a._-9" })).toMatchObject({ event_hub: "a._-9" });
  });

  test("an address as the guard has read it", () => {
    expect(check("syslog", { host: "LOG.example.com" })).toMatchObject({ host: "log.example.com" });
    expect(check("syslog", { host: "0x08080808" })).toMatchObject({ host: "8.8.8.8" });
    expect(check("syslog", { host: "2606:4700:0::1111" })).toMatchObject({
      host: "2606:4700::1111",
    });
  });
});

describe("refused", () => {
  const PRIVATE = [
    "10.0.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "localhost",
    "db.internal",
    "0x7f000001",
  ];

  const ADDRESSED_BY: Readonly<Record<SinkType, string>> = {
    http: "url",
    splunk_hec: "url",
    otlp_http: "url",
    syslog: "host",
    s3: "endpoint",
    azure_event_hubs: "url",
  };

  test.each(SINK_TYPE_NAMES)("%s with a private address", (type) => {
    const member = ADDRESSED_BY[type];
    const refused = PRIVATE.map((host) =>
      fieldsOf(() => check(type, { [member]: member === "host" ? host : `https://${host}/` })),
    );
    expect(refused).toEqual(PRIVATE.map(() => [`config.${member}`]));
  });

  test.each([
    ["http", { url: "http://siem.example.com/" }, "config.url"],
    ["http", { url: "https://u:p@siem.example.com/" }, "config.url"],
    ["http", { url: `${URL}#a` }, "config.url"],
    ["http", { body: "xml" }, "config.body"],
    ["http", header("a b"), "config.headers"],
    ["http", header(""), "config.headers"],
    ["http", header("__proto__"), "config.headers"],
    ["http", header("Host"), "config.headers.Host"],
    ["http", header("content-type"), "config.headers.content-type"],
    ["http", header("Transfer-Encoding"), "config.headers.Transfer-Encoding"],
    ["http", header("x-a", "s3cret\r\nb: c"), "config.headers.x-a"],
    ["http", header("x-a", "s3cret é"), "config.headers.x-a"],
    ["http", header("x-a", ""), "config.headers.x-a"],
    ["http", { headers: { "X-a": "v", "x-A": "v" } }, "config.headers.x-A"],
    ["http", header("x-a", 7), "config.headers"],
    ["http", { headers: ["s3cret"] }, "config.headers"],
    ["http", { url: undefined }, "config.url"],
    ["http", { token: "s3cret" }, "config.token"],
    ["http", { compress: "s3cret" }, "config.compress"],
    ["splunk_hec", { url: "https://splunk.example.com/services/collector" }, "config.url"],
    ["splunk_hec", { token: "s3cret token" }, "config.token"],
    ["splunk_hec", { token: "" }, "config.token"],
    ["splunk_hec", { index: "-main" }, "config.index"],
    ["syslog", { port: 0 }, "config.port"],
    ["syslog", { port: 65_536 }, "config.port"],
    ["syslog", { host: "a/b" }, "config.host"],
    ["syslog", { host: "a.example.com:1" }, "config.host"],
    ["syslog", { host: "u@a.example.com" }, "config.host"],
    ["syslog", { host: "1.2.3.4.5" }, "config.host"],
    ["s3", { bucket: "Audit" }, "config.bucket"],
    ["s3", { bucket: "a" }, "config.bucket"],
    ["s3", { bucket: "10.1.2.3" }, "config.bucket"],
    ["s3", { bucket: "a..b" }, "config.bucket"],
    ["s3", { prefix: "annals" }, "config.prefix"],
    ["s3", { prefix: "/" }, "config.prefix"],
    ["s3", { prefix: "a/../" }, "config.prefix"],
    ["s3", { region: "" }, "config.region"],
    ["s3", { region: "eu/1" }, "config.region"],
    ["s3", { endpoint: "https://s3.example.com/?a=1" }, "config.endpoint"],
    ["s3", { credentials: { ...KEYS, access_key_id: "" } }, "config.credentials.access_key_id"],
    [
      "s3",
      { credentials: { ...KEYS, secret_access_key: "s3cret " } },
      "config.credentials.secret_access_key",
    ],
    ["azure_event_hubs", { url: "https://acme.servicebus.windows.net/audit" }, "config.url"],
    ["azure_event_hubs", { url: "https://acme.servicebus.windows.net/?a=1" }, "config.url"],
    ["azure_event_hubs", { event_hub: "" }, "config.event_hub"],
    ["azure_event_hubs", { event_hub: "audit/messages" }, "config.event_hub"],
    ["azure_event_hubs", { event_hub: ".." }, "config.event_hub"],
    ["azure_event_hubs", { event_hub: "audit-" }, "config.event_hub"],
    ["azure_event_hubs", { event_hub: "größe" }, "config.event_hub"],
    ["azure_event_hubs", { shared_access_key_name: "send&sig=a" }, "config.shared_access_key_name"],
    ["azure_event_hubs", { shared_access_key: "s3cret key" }, "config.shared_access_key"],
    ["azure_event_hubs", { shared_access_key: "" }, "config.shared_access_key"],
    ["azure_event_hubs", { shared_access_key: undefined }, "config.shared_access_key"],
  ] as const)("%s %j", (of, given, field) => {
    expect(fieldsOf(() => check(of, given))).toEqual([field]);
  });

  test.each([
    ["", "config"],
    ["{", "config"],
    ["7", "config"],
    ["{}", "type"],
    ['{"type":"s3cret"}', "type"],
  ])("the text %j", (text, field) => {
    expect(fieldsOf(() => givenConfig(text))).toEqual([field]);
  });

  test("a bucket without credentials, unless the operator lends those of the process", () => {
    const without = { credentials: undefined };
    expect(fieldsOf(() => check("s3", without))).toEqual(["config.credentials"]);
    expect(check("s3", without, true)).not.toHaveProperty("credentials");
  });
});

describe("limits, at their edge", () => {
  const name = (length: number) => header("x".repeat(length));
  const value = (length: number) => header("x-a", "v".repeat(length));
  const prefix = (length: number) => ({ prefix: `${"p".repeat(length - 1)}/` });
  const hub = (length: number) => ({ event_hub: "h".repeat(length) });
  const keyName = (length: number) => ({ shared_access_key_name: "n".repeat(length) });
  const key = (length: number) => ({ shared_access_key: "k".repeat(length) });

  test.each([
    ["headers", "http", headers, MAX_HEADERS, "config.headers"],
    ["a header's name", "http", name, MAX_HEADER_NAME_LENGTH, "config.headers"],
    ["a header's value", "otlp_http", value, MAX_HEADER_VALUE_LENGTH, "config.headers.x-a"],
    ["a prefix", "s3", prefix, 512, "config.prefix"],
    ["a bucket", "s3", (n: number) => ({ bucket: "b".repeat(n) }), 63, "config.bucket"],
    ["a token", "splunk_hec", (n: number) => ({ token: "t".repeat(n) }), 1_024, "config.token"],
    ["an index", "splunk_hec", (n: number) => ({ index: "i".repeat(n) }), 80, "config.index"],
    ["an event hub", "azure_event_hubs", hub, 256, "config.event_hub"],
    ["a key's name", "azure_event_hubs", keyName, 256, "config.shared_access_key_name"],
    ["a key", "azure_event_hubs", key, 1_024, "config.shared_access_key"],
  ] as const)("%s", (_, of, given, limit, field) => {
    expect(fieldsOf(() => check(of, given(limit)))).toBeUndefined();
    expect(fieldsOf(() => check(of, given(limit + 1)))).toEqual([field]);
  });

  test("are those of the interface", () => {
    expect([MAX_HEADERS, MAX_HEADER_NAME_LENGTH, MAX_HEADER_VALUE_LENGTH]).toEqual([
      20, 100, 4_096,
    ]);
    expect([MAX_CONFIG_BYTES, MAX_MAPPING_BYTES, MAX_MAPPING_ENTRIES]).toEqual([
      8_192, 16_384, 100,
    ]);
  });

  test("a whole configuration", () => {
    const two = (length: number) => ({
      headers: { "x-a": "v".repeat(MAX_HEADER_VALUE_LENGTH), "x-b": "v".repeat(length) },
    });
    const rest = MAX_CONFIG_BYTES - Buffer.byteLength(JSON.stringify(check("http", two(1)))) + 1;
    expect(fieldsOf(() => check("http", two(rest)))).toBeUndefined();
    expect(fieldsOf(() => check("http", two(rest + 1)))).toEqual(["config"]);
  });

  test("a mapping", () => {
    const entries = (count: number) =>
      JSON.stringify(
        Object.fromEntries(
          Array.from({ length: count }, (_, index) => [`a.${index}`, { class: "account_change" }]),
        ),
      );
    const bytes = (count: number) => entries(MAX_MAPPING_ENTRIES).padEnd(count, " ");
    expect(JSON.parse(checkMapping(entries(MAX_MAPPING_ENTRIES)))).toHaveProperty(["a.99"]);
    expect(fieldsOf(() => checkMapping(entries(MAX_MAPPING_ENTRIES + 1)))).toEqual(["mapping"]);
    expect(fieldsOf(() => checkMapping(bytes(MAX_MAPPING_BYTES)))).toBeUndefined();
    expect(fieldsOf(() => checkMapping(bytes(MAX_MAPPING_BYTES + 1)))).toEqual(["mapping"]);
  });

  test.each([
    ["[]", "mapping"],
    ["{", "mapping"],
    ['{"":{"class":"a"}}', "mapping"],
    ['{"a":1}', "mapping.a"],
    ['{"a":{"class":"a","id":1}}', "mapping.a"],
    ['{"a":{}}', "mapping.a.class"],
    ['{"a":{"class":1}}', "mapping.a.class"],
    ['{"a":{"class":"unknown"}}', "mapping.a.class"],
    ['{"a":{"class":"account_change","activity":""}}', "mapping.a.activity"],
  ])("the mapping %s", (text, field) => {
    expect(fieldsOf(() => checkMapping(text))).toEqual([field]);
  });
});
