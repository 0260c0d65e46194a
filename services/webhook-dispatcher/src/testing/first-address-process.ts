// The process of first-address.test.ts: sends by each transport to each of the given names, and prints a line
// of JSON for each look-up that was answered and each result. It is a process of its own, because a fault in
// Node's native code ends the one that it happens in.

import {
  SINK_TYPE_NAMES,
  type SinkConfig,
  type SinkConfigs,
  type SinkType,
} from "@annals/interface";
import { createLog, trustedContext } from "@annals/chassis";
import { systemClock } from "@annals/contract";
import type { LookupFunction } from "node:net";
import type { SinkRecord } from "../sinks/rules/sink-record.ts";
import { AddressGuard } from "../outbound/address-guard.ts";
import { dnsLookUp } from "../outbound/look-up.ts";
import { operatorsS3Client } from "../outbound/s3-client.ts";
import { Sender } from "../outbound/sender.ts";
import { openReceiver } from "../sinks/open-receiver.ts";
import { S3LockedBucket } from "../anchors/locked-bucket.ts";
import { askForTimeStamp } from "../anchors/timestamp.ts";
import { addCheckpoint } from "../anchors/witness.ts";

export interface FirstAddressOptions {
  readonly authority: string;
  /** Addresses of the name servers. */
  readonly servers: readonly string[];
  readonly names: readonly string[];
  readonly https: number;
  readonly http: number;
  readonly syslog: number;
}

export type FirstAddressLine =
  | { readonly connects: string }
  | { readonly name: string; readonly transport: string; readonly result: string };

/** One address may take a quarter of it: longer than a packet of TCP that is sent again, after 1 s. */
const TIMEOUT_MS = 16_000;
const ACCOUNT = "acct_1";
const RECORD: Required<SinkRecord> = {
  json: "{}",
  id: "evt_1",
  sequenceNumber: 1,
  action: "invoice.update",
  occurredAt: "2026-11-27T13:53:47.000001Z",
  createdAt: "2026-11-27T13:53:47.000001Z",
  hash: "b".repeat(64),
  previousHash: "a".repeat(64),
};

const given: FirstAddressOptions = JSON.parse(process.argv[2] ?? "");
const lookUp = dnsLookUp(given.servers);
const clock = systemClock();

/** Says when sockets have got their addresses, and have tried the first one. */
class WatchedGuard extends AddressGuard {
  override lookupFor(accountId: string): LookupFunction {
    const lookup = super.lookupFor(accountId);
    return (name, options, callback) =>
      lookup(name, options, (...answer) => {
        callback(...answer);
        setImmediate(() => print({ connects: name }));
      });
  }
}

const guard = new WatchedGuard({
  resolve: (name, accountId) => lookUp(name, accountId, performance.now() + TIMEOUT_MS),
  allowPrivateAddresses: true,
});

function print(line: FirstAddressLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function sendWebhook(name: string): Promise<string> {
  const extraAuthorities = given.authority;
  const sender = new Sender({ guard, clock, timeoutMs: TIMEOUT_MS, extraAuthorities });
  const url = `https://${name}:${given.https}/`;
  const message = { accountId: ACCOUNT, url, secret: "whsec_eA==", payloadId: "wh_evt_1" };
  const { errorCode, outcome } = await sender.send({ ...message, body: Buffer.from("{}") });
  sender.close();
  return errorCode ?? outcome;
}

async function sendToSink(config: SinkConfig): Promise<string> {
  const secureContext = trustedContext(given.authority);
  const log = createLog({ service: "test", level: "error" });
  const deps = { clock, guard, log, secureContext, timeoutMs: TIMEOUT_MS };
  const receiver = openReceiver(config, deps);
  const options = { sinkId: "sink_1", format: "annals", replays: 0, state: undefined } as const;
  const batch = receiver.open({ ...options, accountId: ACCOUNT });
  await batch.add([RECORD]);
  const { error, outcome } = await batch.send(new AbortController().signal);
  receiver.close();
  return error ?? outcome;
}

function operatorsServer(url: string) {
  const lookup = guard.lookupFor(ACCOUNT);
  const extraAuthorities = given.authority;
  return { url: new URL(url), lookup, extraAuthorities, timeoutMs: TIMEOUT_MS };
}

async function askWitness(url: string): Promise<string> {
  const shown = { checkpoint: "log.example\n1\nAAAA\n", oldSize: 0n, proof: [] };
  const answer = await addCheckpoint(operatorsServer(url), shown, new AbortController().signal);
  return "reason" in answer ? answer.reason : answer.outcome;
}

async function askAuthority(url: string): Promise<string> {
  const { signal } = new AbortController();
  await askForTimeStamp(operatorsServer(url), "log.example\n1\nAAAA\n", Buffer.of(1), signal);
  return "stamped";
}

async function readBucket(endpoint: string): Promise<string> {
  const client = operatorsS3Client({
    credentials: { accessKeyId: "a", secretAccessKey: "b" },
    endpoint,
    extraAuthorities: given.authority,
    lookup: guard.lookupFor(ACCOUNT),
    region: "us-east-1",
  });
  const bucket = new S3LockedBucket("b", 1, client);
  const bytes = await bucket.read("checkpoint", new AbortController().signal);
  bucket.close();
  return String(bytes);
}

const SINKS: { readonly [Type in SinkType]: (name: string) => Omit<SinkConfigs[Type], "type"> } = {
  http: (name) => ({ url: of(name), headers: {}, body: "jsonl", compress: false }),
  splunk_hec: (name) => ({ url: of(name), token: "t", ack: false }),
  otlp_http: (name) => ({ url: of(name), headers: {} }),
  syslog: (name) => ({ host: name, port: given.syslog }),
  s3: (name) => ({
    bucket: "b",
    prefix: "",
    region: "us-east-1",
    endpoint: of(name),
    credentials: { access_key_id: "a", secret_access_key: "b" },
  }),
  azure_event_hubs: (name) => ({
    url: of(name),
    event_hub: "audit",
    shared_access_key_name: "send",
    shared_access_key: "k",
  }),
};
const TRANSPORTS: readonly (readonly [string, (name: string) => Promise<string>])[] = [
  ["webhook", sendWebhook],
  ...SINK_TYPE_NAMES.map(
    (type) =>
      [
        `sink ${type}`,
        (name: string) => sendToSink({ type, ...SINKS[type](name) } as SinkConfig),
      ] as const,
  ),
  ["witness", (name) => askWitness(of(name))],
  ["witness without TLS", (name) => askWitness(`http://${name}:${given.http}/`)],
  ["time stamp", (name) => askAuthority(of(name))],
  ["time stamp without TLS", (name) => askAuthority(`http://${name}:${given.http}/`)],
  ["bucket", (name) => readBucket(of(name))],
  ["bucket without TLS", (name) => readBucket(`http://${name}:${given.http}/`)],
];

function of(name: string): string {
  return `https://${name}:${given.https}/`;
}

await Promise.all(
  TRANSPORTS.flatMap(([transport, send]) =>
    given.names.map(async (name) => {
      const result = await send(name).catch((error: unknown) => String(error));
      print({ name, transport, result });
    }),
  ),
);
