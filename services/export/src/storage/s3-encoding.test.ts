// Guarantee: an object that a storage, or a proxy before it, sends encoded is never taken for the bytes that
// were stored, neither for an export nor for a file of the log.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { S3LockedBucket } from "../anchors/locked-bucket.ts";
import { s3Storage } from "./s3-storage.ts";

const { signal } = new AbortController();

/** Reads one object through both clients. */
async function read(encoding: string | undefined) {
  const server = createServer((_, response) => {
    if (encoding !== undefined) response.setHeader("content-encoding", encoding);
    response.end(encoding === "gzip" ? gzipSync("hello") : "hello");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  const options = { bucket: "exports", credentials, endpoint, region: "us-east-1" };
  const [storage, locked] = [s3Storage({ ...options, prefix: "" }), new S3LockedBucket(options)];
  onTestFinished(() => {
    for (const client of [storage, locked]) client.close();
    server.closeAllConnections();
    server.close();
  });
  const exported = async () => text(await storage.read("a", 0, signal));
  const kept = async () => (await locked.read("a", signal))?.toString();
  return Promise.allSettled([exported(), kept()]);
}

test.each([undefined, "identity", "aws-chunked"])("%s is as it was stored", async (encoding) => {
  const results = await read(encoding);
  expect(results.map((one) => (one.status === "fulfilled" ? one.value : one.reason))).toEqual([
    "hello",
    "hello",
  ]);
});

test.each(["gzip", "br", "gzip, aws-chunked"])("%s is refused", async (encoding) => {
  for (const result of await read(encoding)) {
    const reason = result.status === "rejected" ? String(result.reason) : result.value;
    expect(reason).toBe(
      `Error: the storage sends a with the content encoding ${JSON.stringify(encoding)}`,
    );
  }
});
