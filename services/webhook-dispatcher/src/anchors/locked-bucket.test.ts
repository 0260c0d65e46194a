// Guarantee: an object that the storage of the log, or a proxy before it, sends encoded is never taken for
// the bytes that were stored.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { operatorsS3Client } from "../outbound/s3-client.ts";
import { S3LockedBucket } from "./locked-bucket.ts";

async function read(encoding: string | undefined): Promise<string> {
  const server = createServer((_, response) => {
    if (encoding !== undefined) response.setHeader("content-encoding", encoding);
    response.end(encoding === "gzip" ? gzipSync("hello") : "hello");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = operatorsS3Client({
    credentials: { accessKeyId: "a", secretAccessKey: "b" },
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    extraAuthorities: undefined,
    region: "us-east-1",
  });
  const bucket = new S3LockedBucket("log", 1, client);
  onTestFinished(() => {
    bucket.close();
    server.closeAllConnections();
    server.close();
  });
  return String(await bucket.read("a", new AbortController().signal));
}

test.each([undefined, "identity", "aws-chunked"])("%s is as it was stored", async (encoding) => {
  expect(await read(encoding)).toBe("hello");
});

test.each(["gzip", "br", "gzip, aws-chunked"])("%s is refused", async (encoding) => {
  await expect(read(encoding)).rejects.toThrow(
    `the storage sends a with the content encoding ${JSON.stringify(encoding)}`,
  );
});
