// Guarantee: nothing of a body is read before its sender is known to be allowed to send it, under any path. A
// request that is refused by its head is answered at once, and its connection is closed. No method and no
// path that Node's parser knows is answered with anything but the table of section 4 of the interface.

import { HttpClient, newClient } from "@annals/testing";
import { once } from "node:events";
import { METHODS } from "node:http";
import { describe, expect, inject, test, vi } from "vitest";
import { expectRefused } from "../refusal.ts";
import { exchange, open } from "./raw-socket.ts";

const stack = inject("stack");
const { baseUrl } = stack;
const { client, key } = await newClient(stack);
const { data: reader } = (await client.post("/v1/api-keys", { name: "r", scopes: ["verify"] }))
  .body;
const HUGE = "Content-Length: 100000000";
const CHUNKED = "Transfer-Encoding: chunked";

const head = (start: string, ...headers: string[]) =>
  `${[`${start} HTTP/1.1`, "Host: annals", ...headers].join("\r\n")}\r\n\r\n`;
const authorized = (by: string = key) => `Authorization: Bearer ${by}`;

const REFUSED: [string, string, () => string][] = [
  ["an unknown path", "not_found", () => head("POST /x", HUGE)],
  ["an unknown path, in chunks", "not_found", () => head("POST /x", CHUNKED)],
  ["an unknown path with a type", "not_found", () => head("PUT /", HUGE, "Content-Type: a/b")],
  ["a method of later HTTP", "not_found", () => head("QUERY /x", HUGE)],
  ["a method that the path does not have", "not_found", () => head("POST /openapi.json", HUGE)],
  ["a path beside /v1", "not_found", () => head("POST /v1x", HUGE)],
  ["a path that is none", "validation_error", () => head("POST /v1/%zz", HUGE)],
  ["an unknown path under /v1", "not_found", () => head("POST /v1/x", HUGE, authorized())],
  ["no key", "authentication_error", () => head("POST /v1/events", HUGE)],
  ["a malformed key", "authentication_error", () => head("POST /v1/events", HUGE, authorized("x"))],
  ["a missing scope", "scope_error", () => head("POST /v1/events", HUGE, authorized(reader.key))],
  [
    "too large",
    "validation_error",
    () => head("POST /v1/events", HUGE, authorized(), "Content-Type: application/json"),
  ],
  [
    "another type",
    "validation_error",
    () => head("POST /v1/events", HUGE, authorized(), "Content-Type: text/plain"),
  ],
  [
    "a body where there is none",
    "validation_error",
    () => head("GET /v1/events", HUGE, authorized()),
  ],
  [
    "a body in chunks where there is none",
    "validation_error",
    () => `${head("DELETE /v1/keys/key_1", CHUNKED, authorized())}50\r\n${"a".repeat(80)}\r\n`,
  ],
  ["a body for the document", "validation_error", () => head("GET /openapi.json", HUGE)],
  ["two hosts", "validation_error", () => head("POST /v1/events", "Host: other", HUGE)],
];

// Each connection lingers for a second: they do so side by side.
test.concurrent.each(REFUSED)("%s: answered at once, and closed", async (_, type, text) => {
  const answers = await exchange(baseUrl, text());
  expect(answers).toHaveLength(1);
  expectRefused(answers[0], type);
  expect(answers[0].headers["connection"]).toBe("close");
});

test.concurrent.each(REFUSED)("%s: an endless body is not read", async (_, __, text) => {
  const { socket, received, closed } = await open(baseUrl);
  socket.write(text());
  await once(socket, "data");
  expect(received()).toMatch(/^HTTP\/1\.1 4\d\d /);
  // What is drained of a body in chunks, and what the kernel's buffers of both ends take.
  const piece = text().includes(CHUNKED)
    ? `10000\r\n${"a".repeat(65_536)}\r\n`
    : "a".repeat(65_536);
  for (let sent = 0; sent < 2_000 && !socket.destroyed; sent += 1) {
    if (!socket.write(piece)) await Promise.race([once(socket, "drain").catch(() => {}), closed]);
  }
  await closed;
  expect(socket.bytesWritten).toBeLessThan(text().includes(CHUNKED) ? 80_000_000 : 20_000_000);
});

describe("every method that the parser knows", () => {
  const METHODS_SENT = METHODS.filter((method) => method !== "CONNECT" && method !== "HEAD");

  test.each(METHODS_SENT)("%s", async (method) => {
    for (const path of ["/none", "/x", "/v1/x"]) {
      for (const more of [[], ["Content-Length: 2", "Content-Type: application/json"]]) {
        const text = head(`${method} ${path}`, authorized(), "Connection: close", ...more);
        const answers = await exchange(baseUrl, text + (more.length > 0 ? "{}" : ""));
        expectRefused(answers[0], "not_found", { message: `No route matches ${method} ${path}.` });
      }
    }
  });
});

describe("422: the Host", () => {
  test.each([
    ["two of them", ["Host: a", "Host: b"]],
    ["two equal ones", ["Host: a", "host: a"]],
    ["none", []],
  ])("%s", async (_, hosts) => {
    const lines = ["GET /v1/verify HTTP/1.1", ...hosts, authorized(), "Connection: close"];
    const [answer] = await exchange(baseUrl, `${lines.join("\r\n")}\r\n\r\n`);
    expectRefused(answer, "validation_error", { field: "Host" });
  });
});

test("a small body that came with its head costs the client no connection", async () => {
  const body = "{}";
  const post = head("POST /v1/x", authorized(), `Content-Length: ${body.length}`) + body;
  const last = head("GET /v1/verify", authorized(), "Connection: close");
  const answers = await exchange(baseUrl, post + post + last);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 200]);
});

test("clients that send bodies to unknown paths leave nothing behind", async () => {
  const anonymous = new HttpClient(baseUrl);
  await Promise.all(
    Array.from({ length: 50 }, async () =>
      expectRefused(await anonymous.post("/x", "a".repeat(1_000_000)), "not_found"),
    ),
  );
  anonymous.close();
  await vi.waitFor(async () => expect((await client.get("/v1/verify")).status).toBe(200));
});
