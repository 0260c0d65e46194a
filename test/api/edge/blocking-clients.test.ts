// Guarantee: a client that sends all of its body before it reads gets the response to it, whatever refuses
// the body (RFC 9112, 9.6): its size, its type, its coding, its path, its key, its account's memory. What
// follows a refused body on the connection is never processed.

import { newClient } from "@annals/testing";
import { execFile } from "node:child_process";
import { connect, type Socket } from "node:net";
import { promisify } from "node:util";
import { describe, expect, inject, test } from "vitest";
import { takeAnswer } from "../../system/connection.ts";
import { hasPython } from "../../system/programs.ts";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const { baseUrl } = stack;
const { hostname, port } = new URL(baseUrl);
const { client, key } = await newClient(stack);
const { data: reader } = (await client.post("/v1/api-keys", { name: "r", scopes: ["verify"] }))
  .body;
const MIB = 1024 * 1024;
const JSON_TYPE = "Content-Type: application/json";
const by = (one: string) => `Authorization: Bearer ${one}`;

/** Sends everything, as a blocking client does, and only then reads. */
async function sendThenRead(...parts: readonly (string | Buffer)[]): Promise<Buffer> {
  const socket = connect(Number(port), hostname);
  // Nothing is taken from the kernel until all was given to it.
  socket.pause();
  for (const part of parts) await written(socket, part);
  const pieces: Buffer[] = [];
  for await (const piece of socket as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces);
}

const written = (socket: Socket, part: string | Buffer) =>
  new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.write(part, (error) => (error ? reject(error) : resolve()));
  });

const answerOf = (bytes: Buffer) => {
  const taken = takeAnswer(bytes, false);
  if (!taken) throw new Error(`no whole response: ${bytes.toString("latin1")}`);
  expect(taken.length).toBe(bytes.length);
  const { status, headers, body } = taken.answer;
  const text = body.toString("utf8");
  return { status, headers, text, body: JSON.parse(text) };
};

const sized = (size: number) => ({
  headers: [`Content-Length: ${size}`],
  body: Buffer.alloc(size, "a"),
});
const chunked = (size: number) => {
  const chunk = `10000\r\n${"a".repeat(65_536)}\r\n`;
  const body = Buffer.from(`${chunk.repeat(size / 65_536)}0\r\n\r\n`);
  return { headers: ["Transfer-Encoding: chunked"], body };
};

const REFUSALS: [string, string, string, string[]][] = [
  ["a batch that is too large", "validation_error", "POST /v1/events/batch", [by(key), JSON_TYPE]],
  ["an event that is too large", "validation_error", "POST /v1/events", [by(key), JSON_TYPE]],
  ["another type", "validation_error", "POST /v1/events", [by(key), "Content-Type: text/plain"]],
  ["no type", "validation_error", "POST /v1/events", [by(key)]],
  ["an unknown path", "not_found", "POST /v1/none", [by(key), JSON_TYPE]],
  ["a method that the path lacks", "not_found", "PUT /v1/events", [by(key), JSON_TYPE]],
  ["a path outside /v1", "not_found", "POST /docs", []],
  ["a route that takes no body", "validation_error", "GET /v1/events", [by(key)]],
  ["a page", "validation_error", "GET /docs", []],
  ["the head log", "validation_error", "GET /log/checkpoint", []],
  ["the widget", "authentication_error", "GET /v1/widget/events", []],
  ["no key", "authentication_error", "POST /v1/events", [JSON_TYPE]],
  ["a missing scope", "scope_error", "POST /v1/events", [by(reader.key), JSON_TYPE]],
  ["two hosts", "validation_error", "POST /v1/events", ["Host: b", by(key), JSON_TYPE]],
];

describe.each([
  ["with its length", sized(5 * MIB)],
  ["in chunks", chunked(5 * MIB)],
])("a body of 5 MiB %s", (_, { headers, body }) => {
  test.concurrent.each(REFUSALS)("%s", async (__, type, start, more) => {
    const lines = [`${start} HTTP/1.1`, "Host: annals", ...more, ...headers];
    const answer = answerOf(await sendThenRead(`${lines.join("\r\n")}\r\n\r\n`, body));
    expectRefused(answer, type);
    expect(answer.headers["connection"]).toBe("close");
  });
});

test("what is not HTTP", async () => {
  const start = "POST /v1/events HTTP/1.1\r\nHost: annals\r\nNo colon\r\n\r\n";
  expectRefused(answerOf(await sendThenRead(start, sized(5 * MIB).body)), "validation_error");
});

test("headers without an end", async () => {
  const start = "POST /v1/events HTTP/1.1\r\nHost: annals\r\nX: ";
  expectRefused(answerOf(await sendThenRead(start, sized(5 * MIB).body)), "validation_error");
});

test("a request behind a refused body is not processed", async () => {
  const { body, headers } = sized(5 * MIB);
  const lines = ["POST /v1/none HTTP/1.1", "Host: annals", by(key), ...headers];
  const event = '{"action":"hidden"}';
  const behind = ["POST /v1/events HTTP/1.1", "Host: annals", by(key), JSON_TYPE];
  const hidden = `${[...behind, `Content-Length: ${event.length}`].join("\r\n")}\r\n\r\n${event}`;
  const all = await sendThenRead(
    `${lines.join("\r\n")}\r\n\r\n`,
    Buffer.concat([body, Buffer.from(hidden)]),
  );
  expectRefused(answerOf(all), "not_found");
  expect((await client.get("/v1/events?action=hidden")).body.data).toEqual([]);
});

describe("clients of others", () => {
  test.runIf(hasPython)("http.client of Python", async () => {
    const program = `
import http.client, sys
one = http.client.HTTPConnection(sys.argv[1], int(sys.argv[2]))
one.request("POST", "/v1/events/batch", b"a" * (5 << 20), {"Authorization": sys.argv[3], "Content-Type": "application/json"})
print(one.getresponse().status)
`;
    const args = ["-c", program, hostname, port, `Bearer ${key}`];
    expect((await promisify(execFile)("python3", args)).stdout).toBe("422\n");
  });
});
