// Guarantee: an object that a storage, or a proxy before it, sends encoded is never taken for the bytes of an
// export that were stored.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { s3Storage } from "./s3-storage.ts";

const { signal } = new AbortController();

async function read(encoding: string | undefined): Promise<string> {
  const server = createServer((_, response) => {
    if (encoding !== undefined) response.setHeader("content-encoding", encoding);
    response.end(encoding === "gzip" ? gzipSync("hello") : "hello");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  const options = { bucket: "exports", credentials, endpoint, region: "us-east-1" };
  const storage = s3Storage({ ...options, prefix: "" });
  onTestFinished(() => {
    storage.close();
    server.closeAllConnections();
    server.close();
  });
  return text(await storage.read("a", 0, signal));
}

test.each([undefined, "identity", "aws-chunked"])("%s is as it was stored", async (encoding) => {
  expect(await read(encoding)).toBe("hello");
});

test.each(["gzip", "br", "gzip, aws-chunked"])("%s is refused", async (encoding) => {
  await expect(read(encoding)).rejects.toThrow(
    `the storage sends a with the content encoding ${JSON.stringify(encoding)}`,
  );
});
