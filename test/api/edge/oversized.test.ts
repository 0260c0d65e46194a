// What is too large is refused by name with a 422, at the limit to the byte, and the client gets to
// read the answer even while it is still sending (interface 4).

import { newClient } from "@annals/testing";
import { once } from "node:events";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { exchange, open } from "./raw-socket.ts";

const stack = inject("stack");
const { baseUrl } = stack;
const { client, key } = await newClient(stack);
const MIB = 1024 * 1024;
const MAX_URL_LENGTH = 16_384;
const MAX_PATH_LENGTH = 2_048;
const MAX_HEADERS = 100;
const TOO_LARGE = "The body is too large. Send less at a time.";

const head = (start: string, ...headers: string[]) =>
  `${[`${start} HTTP/1.1`, "Host: annals", `Authorization: Bearer ${key}`, ...headers].join("\r\n")}\r\n\r\n`;
const post = (...headers: string[]) =>
  head("POST /v1/api-keys", "Content-Type: application/json", ...headers);

/** JSON of exactly `size` bytes that names a key. */
const jsonOf = (size: number) => '{"name":"x"}'.padEnd(size, " ");

describe("the URL", () => {
  const urlOf = (length: number) => "/v1/nope?".padEnd(length, "a");

  test("of 16,384 characters is read", async () => {
    expectRefused(await client.get(urlOf(MAX_URL_LENGTH)), "not_found");
  });

  test.each([MAX_URL_LENGTH + 1, 20_000])("of %i is refused", async (length) => {
    const message = "The URL is longer than 16384 characters.";
    expectRefused(await client.get(urlOf(length)), "validation_error", { message });
  });

  test("with an id that is longer is refused, as the router does before anyone else looks", async () => {
    const message = "The path of the URL is longer than 2048 characters.";
    const id = "a".repeat(MAX_PATH_LENGTH + 1);
    expectRefused(await client.get(`/v1/events/${id}`), "validation_error", { message });
  });

  test("with a path of 2,048 characters is read, and with one more is not", async () => {
    const path = "/v1/nope/".padEnd(MAX_PATH_LENGTH, "a/");
    expectRefused(await client.get(`${path}?a`), "not_found");
    const message = "The path of the URL is longer than 2048 characters.";
    expectRefused(await client.get(`${path}a?a`), "validation_error", { message });
  });

  test("has room for the longest value of each filter", async () => {
    const value = "\u{1f511}".repeat(255);
    const event = { action: value, actor: { id: value, type: value } };
    const stored = await client.post("/v1/events", {
      ...event,
      target: { id: value, type: value },
    });
    expect(stored.status).toBe(201);
    const filters = ["action", "actor_id", "actor_type", "target_id", "target_type"];
    const query = filters.map((name) => `${name}=${encodeURIComponent(value)}`).join("&");
    const found = await client.get(`/v1/events?${query}&order=asc&limit=100&include=proof`);
    expect(found.body.data).toHaveLength(1);
  });

  test("of a megabyte is refused", async () => {
    const [answer] = await exchange(baseUrl, head(`GET ${urlOf(MIB)}`));
    expectRefused(answer, "validation_error", {
      message: "The request line and headers are too long.",
    });
  });
});

describe("the headers", () => {
  const extra = (count: number) => Array.from({ length: count }, (_, n) => `X-${n}: 1`);
  // Besides Host, Authorization and Connection.
  const get = (more: string[]) =>
    exchange(baseUrl, head("GET /v1/api-keys", "Connection: close", ...more));

  test("100 of them are read", async () => {
    const [answer] = await get(extra(MAX_HEADERS - 3));
    expect(answer.status).toBe(200);
  });

  test.each([MAX_HEADERS + 1, 1_000, 2_500])("%i are refused", async (count) => {
    const [answer] = await get(extra(count - 3).map((line) => line.replace(/-\d+/, "")));
    const message = "The request has more than 100 headers.";
    expectRefused(answer, "validation_error", { message });
  });

  test("16 kB of them are read", async () => {
    const [answer] = await get([`X: ${"a".repeat(16_000)}`]);
    expect(answer.status).toBe(200);
  });

  test.each([33_000, MIB])("%i bytes are refused", async (size) => {
    const [answer] = await get([`X: ${"a".repeat(size)}`]);
    const message = "The request line and headers are too long.";
    expectRefused(answer, "validation_error", { message });
  });

  test("a trailer of 100 kB is refused", async () => {
    const chunks = `2\r\n{}\r\n0\r\nX: ${"a".repeat(100_000)}\r\n\r\n`;
    const [answer] = await exchange(baseUrl, post("Transfer-Encoding: chunked") + chunks);
    expectRefused(answer, "validation_error");
  });
});

describe("the body", () => {
  test("of 1 MiB is read", async () => {
    expect((await client.post("/v1/api-keys", jsonOf(MIB))).status).toBe(201);
  });

  test("of one byte more is refused", async () => {
    const answer = await client.post("/v1/api-keys", jsonOf(MIB + 1));
    expectRefused(answer, "validation_error", { message: TOO_LARGE });
  });

  test.each([MIB + 1, 5 * MIB])("of %i bytes in chunks is refused", async (size) => {
    const chunks = `${size.toString(16)}\r\n${jsonOf(size)}\r\n0\r\n\r\n`;
    const text = post("Transfer-Encoding: chunked", "Connection: close") + chunks;
    const answers = await exchange(baseUrl, text);
    expect(answers).toHaveLength(1);
    expectRefused(answers[0], "validation_error", { message: TOO_LARGE });
  });

  test("is refused by its Content-Length alone, at once", async () => {
    const { socket, received, closed } = await open(baseUrl);
    socket.write(post(`Content-Length: ${100 * MIB}`));
    await once(socket, "data");
    expect(received()).toMatch(/^HTTP\/1\.1 422 /);
    expect(received()).toContain(TOO_LARGE);
    socket.destroy();
    await closed;
  });

  test("an endless one gets its answer, and then the connection ends", async () => {
    const { socket, received, closed } = await open(baseUrl);
    socket.write(post("Transfer-Encoding: chunked"));
    const chunk = `100000\r\n${"a".repeat(MIB)}\r\n`;
    let sent = 0;
    while (!socket.destroyed && sent < 1_000) {
      sent += 1;
      if (!socket.write(chunk)) {
        await Promise.race([once(socket, "drain"), closed]).catch(() => {});
      }
    }
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 422 /);
    expect(sent).toBeLessThan(200);
  });

  test("a client that sends it all before it reads gets its answer", async () => {
    const size = 8 * MIB;
    const answers = await exchange(
      baseUrl,
      post(`Content-Length: ${size}`, "Connection: close"),
      ...Array.from({ length: 8 }, () => "a".repeat(MIB)),
    );
    expect(answers).toHaveLength(1);
    expectRefused(answers[0], "validation_error", { message: TOO_LARGE });
  });

  test("a client without a key gets its answer as well, and the rest is not read", async () => {
    const text = head("GET /v1/api-keys", "Connection: close");
    const anonymous = `POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: ${MIB}\r\n\r\n`;
    const answers = await exchange(baseUrl, anonymous, "a".repeat(MIB), text);
    expect(answers.map(({ status }) => status)).toEqual([401]);
    expect(answers[0].headers["connection"]).toBe("close");
  });
});
