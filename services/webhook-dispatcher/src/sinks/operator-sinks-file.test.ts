// Guarantee: the operator's file of sinks has the rules of POST /v1/sinks, and its secrets are read from
// files. Each fault is said with its place, and none repeats a value.

import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { MAX_OPERATOR_SINKS, readOperatorSinks } from "./operator-sinks-file.ts";
import { AddressGuard } from "../outbound/address-guard.ts";

const SECRET = "tip-top-secret";
const folder = mkdtempDisposableSync(join(tmpdir(), "annals-operator-sinks-"));
afterAll(() => folder.remove());

const token = join(folder.path, "token");
writeFileSync(token, `${SECRET}\n`);

const guard = new AddressGuard({
  allowPrivateAddresses: true,
  resolve: () => Promise.reject(new Error("not asked")),
});

const CONFIG = { url: "https://10.0.0.7:8088", token: SECRET };
const sinkOf = (given: object = {}) => ({
  name: "siem",
  accounts: "all",
  type: "splunk_hec",
  config: CONFIG,
  ...given,
});

function read(file: unknown) {
  const path = join(folder.path, "sinks.json");
  writeFileSync(path, typeof file === "string" ? file : JSON.stringify(file));
  return readOperatorSinks(path, guard);
}

test("without a file there are no sinks", async () => {
  expect(await readOperatorSinks(undefined, guard)).toEqual(new Map());
});

test("a sink has what its members say, and the defaults of POST /v1/sinks", async () => {
  const given = {
    name: "bucket",
    accounts: "system",
    type: "s3",
    format: "ocsf",
    filter: { action: ["user.*", "key.created"], actor_type: "user", not: { outcome: "a" } },
    leave_out: ["diff"],
    include_proof: true,
    mapping: { "user.*": { class: "account_change" } },
    on_rejected: "skip",
    config: { bucket: "audit-events", region: "eu-central-1" },
  };
  const sinks = await read({ sinks: [sinkOf(), given] });
  expect(Object.fromEntries(sinks)).toEqual({
    siem: {
      name: "siem",
      accounts: "all",
      config: { type: "splunk_hec", ...CONFIG, ack: false },
      format: "annals",
      filter: null,
      leaveOut: [],
      includeProof: false,
      mapping: null,
      onRejected: "stop",
    },
    bucket: {
      name: "bucket",
      accounts: "system",
      config: { type: "s3", bucket: "audit-events", prefix: "", region: "eu-central-1" },
      format: "ocsf",
      filter: JSON.stringify({
        action: ["user.*", "key.created"],
        actor_type: ["user"],
        not: { outcome: ["a"] },
      }),
      leaveOut: ["diff"],
      includeProof: true,
      mapping: JSON.stringify({ "user.*": { class: "account_change" } }),
      onRejected: "skip",
    },
  });
});

test.each([
  ["splunk_hec", { url: CONFIG.url }, { token }, { token: SECRET }],
  [
    "http",
    { url: CONFIG.url, headers: { "X-Source": "annals" } },
    { "headers.Authorization": token },
    { headers: { "X-Source": "annals", Authorization: SECRET }, body: "jsonl" },
  ],
  [
    "s3",
    { bucket: "audit-events", region: "eu-central-1" },
    { "credentials.access_key_id": token, "credentials.secret_access_key": token },
    { credentials: { access_key_id: SECRET, secret_access_key: SECRET } },
  ],
])("secrets of %s are read from files", async (type, config, config_files, expected) => {
  const sinks = await read({ sinks: [sinkOf({ type, config, config_files })] });
  expect(sinks.get("siem")?.config).toMatchObject(expected);
});

test.each([
  ["name", { name: undefined }],
  ["name", { name: "Siem" }],
  ["name", { name: "a".repeat(64) }],
  ["accounts", { accounts: "acct_1" }],
  ["accounts", { accounts: undefined }],
  ["type", { type: "kafka" }],
  ["format", { format: "xml" }],
  ["filter", { filter: [] }],
  ["filter.colour", { filter: { colour: "red" } }],
  ["filter.fields", { filter: { fields: { ip: "10.0.0.1" } } }],
  ["filter.not.not", { filter: { not: { not: {} } } }],
  ["filter.not.action", { filter: { not: { action: 7 } } }],
  ["filter.action", { filter: { action: 7 } }],
  ["filter.action[0]", { filter: { action: "" } }],
  ["leave_out", { leave_out: "diff" }],
  ["leave_out[0]", { leave_out: ["hash"] }],
  ["include_proof", { include_proof: "yes" }],
  ["mapping", { mapping: {} }],
  ["from", { from: "now" }],
  ["config", { config: [] }],
  ["config.url", { config: { token: SECRET } }],
  ["config.url", { config: { ...CONFIG, url: "http://10.0.0.7" } }],
  ["config.token", { config: { url: CONFIG.url } }],
  ["config.token", { config: { ...CONFIG, token: 7 } }],
  ["config.tokens", { config: { ...CONFIG, tokens: SECRET } }],
  ["config.ack", { config: { ...CONFIG, ack: "yes" } }],
  ["config.headers", { type: "http", config: { url: CONFIG.url, headers: { a: 7 } } }],
  ["config.body", { type: "http", config: { url: CONFIG.url, body: "xml" } }],
  ["config.port", { type: "syslog", config: { host: "10.0.0.7", port: "514" } }],
  ["config.port", { type: "syslog", config: { host: "10.0.0.7", port: 0 } }],
  ["config.port", { type: "syslog", config: { host: "10.0.0.7", port: 5_000_000_000 } }],
  ["config.credentials", { type: "s3", config: { credentials: SECRET } }],
  ["config_files.token", { config_files: { token: 7 } }],
  ["config_files.token", { config_files: { token: join(folder.path, SECRET) } }],
])("a fault of %s is said: %j", async (place, given) => {
  const reading = read({ sinks: [sinkOf({ name: "first" }), sinkOf(given)] });
  await expect(reading).rejects.toThrow(`\n  sinks[1].${place}: `);
  await expect(reading).rejects.not.toThrow(SECRET);
});

test.each([
  [`{"sinks": "${SECRET}`, "must be JSON"],
  [[], "must be an object"],
  [{ sinks: {} }, "sinks must be an array"],
  [{ sinks: [], sink: [] }, "sink: is not known"],
  [{ sinks: [sinkOf(), sinkOf()] }, "sinks[1].name: must be unique"],
  [{ sinks: [7] }, "sinks[0]: must be an object"],
  [{ sinks: Array(MAX_OPERATOR_SINKS + 1).fill(sinkOf()) }, "at most 10 items"],
])("a file is refused: %j", async (file, said) => {
  const reading = read(file);
  await expect(reading).rejects.toThrow(said);
  await expect(reading).rejects.not.toThrow(SECRET);
});

test("ten sinks are read", async () => {
  const sinks = Array.from({ length: MAX_OPERATOR_SINKS }, (_, at) =>
    sinkOf({ name: `siem-${at}` }),
  );
  expect((await read({ sinks })).size).toBe(MAX_OPERATOR_SINKS);
});

test("a file that is not there is said", async () => {
  const path = join(folder.path, "nowhere.json");
  await expect(readOperatorSinks(path, guard)).rejects.toThrow(`ANNALS_SINKS_FILE ${path}`);
});
