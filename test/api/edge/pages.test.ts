// Guarantee: what needs no key is compressed for clients that read gzip, and has a strong tag, so that a
// client that has it gets 304 without it. Both forms hold the same. HEAD has the headers of GET and no body.
// A client that reads steadily gets a page however small its pieces are.

import { createHash } from "node:crypto";
import { connect } from "node:net";
import { gunzipSync } from "node:zlib";
import { expect, inject, test } from "vitest";

const { baseUrl } = inject("stack");

/** What fetch would unpack by itself. */
async function ask(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join("")}\r\n`,
  );
  const bytes = Buffer.concat(await socket.toArray());
  const end = bytes.indexOf("\r\n\r\n");
  const [first = "", ...rest] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const given = new Headers(
    rest.map((line): [string, string] => {
      const at = line.indexOf(":");
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
  return { status: Number(first.split(" ")[1]), headers: given, body: bytes.subarray(end + 4) };
}

const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

test.each(["/", "/docs", "/openapi.json", "/widget/viewer.js"])("%s", async (path) => {
  const plain = await ask(path);
  const packed = await ask(path, { "accept-encoding": "br, gzip" });
  for (const { headers, body } of [plain, packed]) {
    expect(headers.get("content-length")).toBe(String(body.length));
    expect(headers.get("vary")).toBe("accept-encoding");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.get("etag")).toMatch(/^"[\w-]+"$/);
  }
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect(packed.headers.get("content-encoding")).toBe("gzip");
  expect(packed.headers.get("etag")).not.toBe(plain.headers.get("etag"));
  expect(packed.body.length).toBeLessThan(plain.body.length);
  expect(digest(gunzipSync(packed.body))).toBe(digest(plain.body));
  const tag = plain.headers.get("etag") ?? "";
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
    const again = await ask(path, { "if-none-match": known });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    expect(again.headers.get("etag")).toBe(tag);
  }
  expect((await ask(path, { "if-none-match": `"x${tag.slice(1)}` })).status).toBe(200);
  const head = await ask(path, {}, "HEAD");
  expect([head.status, head.body.length]).toEqual([200, 0]);
  expect(head.headers.get("content-length")).toBe(String(plain.body.length));
});

test.each([
  ["gzip", true],
  ["GZIP;q=0.5, br", true],
  ["*", true],
  ["x-gzip", true],
  ["gzip;q=0", false],
  ["gzip;q=0, *", false],
  ["br, deflate", false],
  ["gzipped", false],
  ["", false],
])("Accept-Encoding: %s", async (accepted, isPacked) => {
  const { headers } = await ask("/docs", { "accept-encoding": accepted });
  expect(headers.get("content-encoding")).toBe(isPacked ? "gzip" : null);
});
