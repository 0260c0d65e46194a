// Guarantee: a bucket gets each batch as one object of compressed lines, and then a manifest that names the
// object, its range, its hashes and the manifest before. A batch is accepted when both are stored. It is
// tested against a real S3-compatible server, behind TLS, which Go builds if it is not there.

import type { SinkConfigs } from "@annals/interface";
import { freePort } from "@annals/local";
import { findS3Server, S3Server } from "@annals/testing";
import { createHash } from "node:crypto";
import { connect, type AddressInfo } from "node:net";
import { createServer as createTls } from "node:tls";
import { zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { authority, flood, newSubscriber, rawServer } from "../../../testing/receivers.ts";
import {
  ACCOUNT,
  newReceiver,
  sendBatch,
  sinkRecord,
  sinkRecords,
  streamLine,
} from "../../../testing/sink-receivers.ts";
import { AddressGuard } from "../../../outbound/address-guard.ts";

const found = await findS3Server().catch((error: Error) => error);
const SERVERS = typeof found === "string" ? [found] : [];
const BUCKET = "siem";
const DAY = `annals/v1/account=${ACCOUNT}/day=2026-11-27`;
const SECRET = "s3cr3t-access-key";
const TIMEOUT_MS = 400;

process.stdout.write(`tests of buckets ran ${SERVERS.length === 0 ? "without S3" : "with S3"}\n`);

test("the storage is there, or it is said why not", () => {
  expect(typeof found === "string" ? found : found.message).not.toBe("");
});

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

describe.each(SERVERS)("with %s", (program) => {
  let server: S3Server;
  let endpoint: string;
  let stop: () => void;

  beforeAll(async () => {
    const port = await freePort();
    server = await S3Server.start(program, port);
    await server.createBucket(BUCKET);
    const proxy = createTls(await authority.issue(["127.0.0.1"]), (socket) => {
      const inner = connect(port, "127.0.0.1");
      for (const each of [socket, inner]) each.on("error", () => {});
      socket.pipe(inner).pipe(socket);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    endpoint = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    stop = () => void proxy.close();
  });

  afterAll(async () => {
    stop();
    await server.close();
  });

  const config = (more: Partial<SinkConfigs["s3"]> = {}): SinkConfigs["s3"] => ({
    type: "s3",
    bucket: BUCKET,
    prefix: "",
    region: server.region,
    endpoint,
    credentials: {
      access_key_id: server.credentials.accessKeyId,
      secret_access_key: server.credentials.secretAccessKey,
    },
    ...more,
  });

  async function read(key: string): Promise<Buffer> {
    return (await server.read(BUCKET, key)) ?? Buffer.from("");
  }

  test("two batches are two objects, each with a manifest, and the second names the first", async () => {
    const receiver = newReceiver(config({ prefix: "some where/" }));
    const first = await sendBatch(receiver, [...sinkRecords(1, 1_000), streamLine()]);
    expect(first).toMatchObject({ outcome: "accepted", statusCode: 200 });
    const second = await sendBatch(receiver, sinkRecords(1_001, 1_500), {
      state: first.state ?? "",
    });
    expect(second).toMatchObject({ outcome: "accepted" });

    const object = await read(`some where/${DAY}/1-1000.jsonl.zst`);
    expect(zstdDecompressSync(object).toString()).toBe(
      sinkRecords(1, 1_000)
        .map(({ json }) => `${json}\n`)
        .join(""),
    );
    const manifest = await read(`some where/${DAY}/1-1000.jsonl.zst.manifest.json`);
    expect(JSON.parse(manifest.toString())).toStrictEqual({
      format: "annals-sink-manifest/1",
      chain: ACCOUNT,
      sink: "sink_1",
      number: 1,
      from: 1,
      to: 1_000,
      count: 1_000,
      first_hash: sinkRecord(1).hash,
      last_hash: sinkRecord(1_000).hash,
      first_previous_hash: sinkRecord(1).previousHash,
      object: `${DAY}/1-1000.jsonl.zst`,
      bytes: object.length,
      sha256: sha256(object),
      previous: null,
    });
    expect(JSON.parse(first.state ?? "")).toStrictEqual({ number: 1, sha256: sha256(manifest) });
    const next = await read(`some where/${DAY}/1001-1500.jsonl.zst.manifest.json`);
    expect(JSON.parse(next.toString())).toMatchObject({ number: 2, previous: sha256(manifest) });
  });

  test("a batch after a replay has names of its own", async () => {
    const receiver = newReceiver(config());
    await sendBatch(receiver, sinkRecords(1, 3), { replays: 2 });
    expect((await read(`${DAY}/1-3.r2.jsonl.zst`)).length).toBeGreaterThan(0);
    const manifest = JSON.parse((await read(`${DAY}/1-3.r2.jsonl.zst.manifest.json`)).toString());
    expect(manifest).toMatchObject({ object: `${DAY}/1-3.r2.jsonl.zst`, from: 1, to: 3 });
  });

  test("a batch that is sent again has the same bytes", async () => {
    const receiver = newReceiver(config());
    const key = `${DAY}/21-40.jsonl.zst`;
    const results = [];
    for (let n = 0; n < 2; n++) {
      const { state } = await sendBatch(receiver, sinkRecords(21, 40));
      results.push([state, sha256(await read(key)), sha256(await read(`${key}.manifest.json`))]);
    }
    expect(results[1]).toStrictEqual(results[0]);
  });

  test("a batch of 20 MiB is compressed as it is filled", async () => {
    const receiver = newReceiver(config());
    const batch = receiver.open({
      accountId: ACCOUNT,
      sinkId: "sink_1",
      format: "annals",
      replays: 0,
      state: undefined,
    });
    const text = "0123456789abcdef".repeat(64);
    for (let from = 1; from <= 20_000; from += 1_000) {
      const records = Array.from({ length: 1_000 }, (_, n) =>
        sinkRecord(from + n, { json: JSON.stringify({ sequence_number: from + n, text }) }),
      );
      await batch.add(records);
    }
    expect(batch.bytes).toBeGreaterThan(20_000 * text.length);
    expect(await batch.send(new AbortController().signal)).toMatchObject({ outcome: "accepted" });
    const object = await read(`${DAY}/1-20000.jsonl.zst`);
    expect(object.length).toBeLessThan(1024 * 1024);
    expect(zstdDecompressSync(object).toString().split("\n").length).toBe(20_001);
  });

  test("a batch of lines of the stream alone writes nothing, and keeps the state", async () => {
    const state = '{"number":4,"sha256":"aa"}';
    const before = await server.versions(BUCKET);
    expect(await sendBatch(newReceiver(config()), [streamLine()], { state })).toMatchObject({
      outcome: "accepted",
      state,
    });
    expect(await server.versions(BUCKET)).toStrictEqual(before);
  });

  test("a batch of two days is refused", async () => {
    const next = sinkRecord(52, { createdAt: "2026-11-28T00:00:00.000000Z" });
    expect(await sendBatch(newReceiver(config()), [sinkRecord(51), next])).toMatchObject({
      outcome: "refused",
      error: "The records of the batch are of several days.",
    });
  });

  test.each([
    ["a bucket that is unknown", { bucket: "unknown" }, 404, "NoSuchBucket"],
    [
      "a wrong secret",
      { credentials: { access_key_id: "test", secret_access_key: SECRET } },
      403,
      "SignatureDoesNotMatch",
    ],
  ])("%s is named", async (_name, more, statusCode, name) => {
    const result = await sendBatch(newReceiver(config(more)), sinkRecords(1, 3));
    expect(result).toMatchObject({ outcome: "refused", statusCode });
    expect(result.error).toContain(name);
    expect(result.error).not.toContain(SECRET);
  });
});

const CONFIG: Omit<SinkConfigs["s3"], "endpoint"> = {
  type: "s3",
  bucket: BUCKET,
  prefix: "",
  region: "us-east-1",
  credentials: { access_key_id: "AKIAEXAMPLE", secret_access_key: SECRET },
};

describe("a storage that", () => {
  const sent = async (endpoint: string, timeoutMs = TIMEOUT_MS) => {
    const receiver = newReceiver({ ...CONFIG, endpoint }, { timeoutMs });
    const result = await sendBatch(receiver, sinkRecords(1, 3));
    expect(JSON.stringify(result)).not.toMatch(/s3cr3t|AKIA/);
    return result;
  };

  test("reads and never answers", async () => {
    expect(await sent(await rawServer(() => {}))).toMatchObject({ outcome: "timeout" });
  });

  test("sends endless responses of status 1xx", async () => {
    const url = await rawServer((socket) =>
      flood(socket, Buffer.from("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1_000))),
    );
    expect(await sent(url, 10_000)).toMatchObject({ outcome: "invalid_response" });
  });

  test("sends an endless error", async () => {
    const url = await rawServer((socket) => {
      socket.write("HTTP/1.1 500 No\r\n\r\n");
      flood(socket, Buffer.alloc(64 * 1024, "AKIAEXAMPLE "));
    });
    expect(await sent(url, 10_000)).toMatchObject({ outcome: "refused", statusCode: 500 });
  });

  test("asks to wait", async () => {
    const subscriber = await newSubscriber();
    subscriber.answer = (response) =>
      void response
        .writeHead(503, { "retry-after": "9" })
        .end("<Error><Code>SlowDown</Code><Message>AKIAEXAMPLE is too fast</Message></Error>");
    expect(await sent(subscriber.url(""), 5_000)).toMatchObject({
      outcome: "refused",
      statusCode: 503,
      retryAfterS: 9,
      error: "The storage responded with status 503: SlowDown: [removed] is too fast",
    });
  });

  test("stores the object and not the manifest has not accepted the batch", async () => {
    const subscriber = await newSubscriber();
    subscriber.answer = (response, { path }) =>
      void response.writeHead(path.includes("manifest") ? 500 : 200).end();
    const result = await sent(subscriber.url(""), 5_000);
    expect(result).toMatchObject({ outcome: "refused", statusCode: 500 });
    expect(result.state).toBeUndefined();
    expect(subscriber.received.map(({ path }) => path.split("?")[0])).toStrictEqual([
      `/${BUCKET}/${DAY.replaceAll("=", "%3D")}/1-3.jsonl.zst`,
      `/${BUCKET}/${DAY.replaceAll("=", "%3D")}/1-3.jsonl.zst.manifest.json`,
    ]);
    const [object] = subscriber.received;
    const checksum = createHash("sha256")
      .update(object?.body ?? "")
      .digest("base64");
    expect(object?.headers["x-amz-checksum-sha256"]).toBe(checksum);
  });

  test("redirects is not followed", async () => {
    const other = await newSubscriber();
    const subscriber = await newSubscriber();
    subscriber.answer = (response) => void response.writeHead(307, { location: other.url() }).end();
    expect(await sent(subscriber.url(""), 5_000)).toMatchObject({
      outcome: "refused",
      statusCode: 307,
    });
    expect(other.connections).toBe(0);
  });

  test("has a private address, or does not speak HTTPS, gets nothing", async () => {
    const subscriber = await newSubscriber();
    const guard = new AddressGuard({
      allowPrivateAddresses: false,
      resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    });
    const endpoints = [subscriber.url(""), `https://s3.example.com:${subscriber.port}`];
    for (const endpoint of endpoints) {
      const receiver = newReceiver({ ...CONFIG, endpoint }, { guard });
      expect(await sendBatch(receiver, sinkRecords(1, 3))).toMatchObject({ outcome: "address" });
    }
    expect(await sent(`http://127.0.0.1:${subscriber.port}`, 5_000)).toMatchObject({
      outcome: "refused",
    });
    expect(subscriber.connections).toBe(0);
  });

  test("is left when the service stops", async () => {
    const endpoint = await rawServer(() => {});
    const stopping = new AbortController();
    onTestFinished(() => stopping.abort());
    const receiver = newReceiver({ ...CONFIG, endpoint });
    const sending = sendBatch(receiver, sinkRecords(1, 3), {}, stopping.signal);
    stopping.abort();
    expect(await sending).toMatchObject({ outcome: "abandoned" });
  });
});
