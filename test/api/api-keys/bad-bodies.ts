// Bodies that neither form of creating a key accepts, with the member at fault and what is said of
// it. Used by the tests of POST /v1/api-keys and POST /v1/keys.

import type { Sent } from "@annals/testing";

export interface BadBody {
  readonly what: string;
  readonly body?: unknown;
  readonly headers?: Sent["headers"];
  readonly field: string;
  readonly message: string | RegExp;
}

const LENGTH = "name: must have 1 to 255 characters";
const CONTROL = "name: must not contain control characters";
const UNKNOWN_SCOPE = /^scopes\[\d+\]: must be one of events:read, events:write, verify, export, /;

/** Names that no key may have: shared with renaming. */
export const BAD_NAMES: readonly BadBody[] = [
  { what: "no name", body: {}, field: "name", message: "name: is required" },
  {
    what: "an empty name",
    body: { name: "" },
    field: "name",
    message: "name: must have at least 1 character",
  },
  { what: "a name of spaces", body: { name: " \t\u00a0\u2003" }, field: "name", message: LENGTH },
  { what: "256 characters", body: { name: "n".repeat(256) }, field: "name", message: LENGTH },
  { what: "256 emoji", body: { name: "🔑".repeat(256) }, field: "name", message: LENGTH },
  {
    what: "the character U+0000",
    body: '{"name":"a\\u0000b"}',
    field: "name",
    message: /^name: the character U\+0000 cannot be stored/,
  },
  ...["a\nb", "a\tb", "a\u001fb", "a\u007fb", "a\u0085b"].map((name) => ({
    what: `the control character ${JSON.stringify(name)}`,
    body: { name },
    field: "name",
    message: CONTROL,
  })),
  ...[7, true, null, [], {}].map((name) => ({
    what: `the name ${JSON.stringify(name)}`,
    body: { name },
    field: "name",
    message: "name: must be a string",
  })),
  {
    what: "half a character",
    body: '{"name":"\\ud800"}',
    field: "name",
    message: /^name: /,
  },
  {
    what: "two names",
    body: '{"name":"a","name":"b"}',
    field: "name",
    message: /^name: /,
  },
];

/** Bodies that are no JSON object at all: shared by everything that takes one. */
export const BAD_JSON: readonly BadBody[] = [
  { what: "no body", field: "body", message: "body: must be an object" },
  { what: "an empty body", body: "", field: "body", message: "body: must be an object" },
  { what: "an array", body: [], field: "body", message: "body: must be an object" },
  { what: "null", body: "null", field: "body", message: "body: must be an object" },
  { what: "text", body: '"x"', field: "body", message: "body: must be an object" },
  { what: "broken JSON", body: '{"name":', field: "name", message: /\(byte 8 of the body\)$/ },
  { what: "more after it", body: '{"name":"x"} x', field: "", message: /\(byte 13 of the body\)$/ },
  {
    what: "a body that is no UTF-8",
    body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    field: "",
    message: /UTF-8 \(byte 2 of the body\)$/,
  },
  {
    what: "another content type",
    body: '{"name":"x"}',
    headers: { "content-type": "text/plain" },
    field: "Content-Type",
    message: "Content-Type: must be application/json",
  },
  {
    what: "an unknown member",
    body: { name: "x", colour: "red" },
    field: "colour",
    message: "colour: is not a member of this object",
  },
  {
    what: "the member __proto__",
    body: '{"name":"x","__proto__":{}}',
    field: "__proto__",
    message: "__proto__: is not a member of this object",
  },
];

export const BAD_SCOPES: readonly BadBody[] = [
  {
    what: "no scope at all",
    body: { name: "x", scopes: [] },
    field: "scopes",
    message: "scopes: must have at least 1 item",
  },
  ...["admin", "Verify", "", "events:*"].map((scope) => ({
    what: `the scope ${JSON.stringify(scope)}`,
    body: { name: "x", scopes: ["verify", scope] },
    field: "scopes[1]",
    message: UNKNOWN_SCOPE,
  })),
  {
    what: "a scope that is no text",
    body: { name: "x", scopes: [null] },
    field: "scopes[0]",
    message: UNKNOWN_SCOPE,
  },
  ...["verify", null, {}].map((scopes) => ({
    what: `scopes that are ${JSON.stringify(scopes)}`,
    body: { name: "x", scopes },
    field: "scopes",
    message: "scopes: must be an array",
  })),
];

const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toISOString();
const NO_NETWORK = "must be an IP address, or a network such as 192.0.2.0/24 or 2001:db8::/32";
const NO_TIME = "expires_at: must be a time with an offset, such as 2027-01-31T09:30:00Z";

/** Days from now, as a time. */
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

/** Restrictions that no key may have: shared with changing them. */
export const BAD_RESTRICTIONS: readonly BadBody[] = [
  ...["", "tomorrow", "2030-01-01", "2030-02-30T00:00:00Z", "2030-01-01T00:00:00"].map((at) => ({
    what: `the expiry ${JSON.stringify(at)}`,
    body: { name: "x", expires_at: at },
    field: "expires_at",
    message: at === "" ? /^expires_at: must/ : NO_TIME,
  })),
  {
    what: "an expiry that has passed",
    body: { name: "x", expires_at: inDays(-0.001) },
    field: "expires_at",
    message: "expires_at: must be in the future",
  },
  {
    what: "an expiry in more than 3,650 days",
    body: { name: "x", expires_at: inDays(3_650.01) },
    field: "expires_at",
    message: "expires_at: must be at most 3650 days from now",
  },
  ...[7, true, {}, [IN_AN_HOUR]].map((at) => ({
    what: `the expiry ${JSON.stringify(at)}`,
    body: { name: "x", expires_at: at },
    field: "expires_at",
    message: /^expires_at: must be a string/,
  })),
  {
    what: "no address",
    body: { name: "x", allowed_ips: [] },
    field: "allowed_ips",
    message: /^allowed_ips: must have at least 1 item/,
  },
  {
    what: "51 addresses",
    body: { name: "x", allowed_ips: Array.from({ length: 51 }, (_, n) => `192.0.2.${n}`) },
    field: "allowed_ips",
    message: /^allowed_ips: must have at most 50 items/,
  },
  ...["", "example.com", "192.0.2", "192.0.2.0/33", "::/129", "fe80::1%eth0", "*"].map((ip) => ({
    what: `the address ${JSON.stringify(ip)}`,
    body: { name: "x", allowed_ips: ["192.0.2.7", ip] },
    field: "allowed_ips[1]",
    message: `allowed_ips[1]: ${NO_NETWORK}`,
  })),
  {
    what: "a network that begins elsewhere",
    body: { name: "x", allowed_ips: ["198.51.100.7/24"] },
    field: "allowed_ips[0]",
    message: "allowed_ips[0]: must be the first address of its network: 198.51.100.0/24",
  },
  ...["192.0.2.7", 7, {}].map((ips) => ({
    what: `the addresses ${JSON.stringify(ips)}`,
    body: { name: "x", allowed_ips: ips },
    field: "allowed_ips",
    message: /^allowed_ips: must be an array/,
  })),
];
