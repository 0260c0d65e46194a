// Guarantee: a request that gets no slot has its answer before any work. Its client may use the connection
// again if all of its body has arrived. If not, the answer says that the connection closes, the rest is
// drained, and what is behind it is no request: its sender could not tell which answer is whose.

import { AnnalsError } from "@annals/errors";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { listening } from "../testing/in-flight-server.ts";
import { EarlyResponses } from "./early-response.ts";
import { refuseRequests } from "./refuse-request.ts";

const LIMIT = 60;
/** Longer than any test takes. */
const LONG_MS = 60_000;

/** A server without a slot for `/refused`. Resolves to what sends a text, and to the paths that were seen. */
async function open() {
  const earlyResponses = new EarlyResponses({ maxMs: LONG_MS, idleMs: LONG_MS });
  const records: unknown[] = [];
  const refuse = refuseRequests({
    accessLog: { record: (record) => void records.push(record) },
    addressOf: () => "a",
    earlyResponses,
    limit: LIMIT,
    metrics: { onRefused: () => {} },
    newRequestId: () => "req_1",
  });
  const seen: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    if (earlyResponses.isEnding(request.socket)) return;
    seen.push(request.url ?? "");
    if (request.url === "/refused")
      refuse(request, response, new AnnalsError("rate_limited", "Too many."));
    else response.end("served");
  });
  const socket = connect(await listening(server), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk));
  const received = (pattern: RegExp) => expect.poll(() => text).toMatch(pattern);
  return { received, records, seen, socket, text: () => text };
}

const head = (path: string, ...headers: string[]) =>
  [`POST ${path} HTTP/1.1`, "Host: a", ...headers, "\r\n"].join("\r\n");
const SERVED = head("/served", "Content-Length: 0");

test.each([
  ["without a body", head("/refused", "Content-Length: 0")],
  ["with a body that came with its head", `${head("/refused", "Content-Length: 4")}POST`],
  ["with chunks", `${head("/refused", "Transfer-Encoding: chunked")}4\r\nPOST\r\n0\r\n\r\n`],
])("a connection is used again after a request %s", async (_, refused) => {
  const { received, records, seen, socket, text } = await open();
  socket.write(refused + refused + SERVED);
  await received(/served/);
  expect(text().match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 429", "HTTP/1.1 429", "HTTP/1.1 200"]);
  expect(text()).not.toMatch(/connection: close/i);
  expect(text()).toMatch(new RegExp(`x-ratelimit-limit: ${LIMIT}\r\n`, "i"));
  expect(text()).toMatch(/x-request-id: req_1\r\n/i);
  expect(seen).toEqual(["/refused", "/refused", "/served"]);
  expect(records).toHaveLength(2);
});

test.each([
  ["of a length", head("/refused", "Content-Length: 9"), "POST /hid", SERVED],
  ["in chunks", head("/refused", "Transfer-Encoding: chunked"), "4\r\nPOST\r\n", "0\r\n\r\n"],
])(
  "a connection ends after a request whose body %s is not there yet",
  async (_, start, ...later) => {
    const { received, seen, socket, text } = await open();
    socket.write(start);
    await received(/"rate_limit/);
    expect(text()).toMatch(/connection: close\r\n/i);
    const closed = once(socket, "close");
    socket.end([...later, SERVED].join(""));
    await closed;
    expect(text().match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 429"]);
    expect(seen).toEqual(["/refused"]);
  },
);
