// Guarantee: a unary gRPC call, valid or malformed, gets the status that gRPC defines for it and does not
// affect other calls. Any other kind of call is answered by connect-node.

import { once } from "node:events";
import type { ClientHttp2Session, IncomingHttpHeaders } from "node:http2";
import { GetEventRequestSchema, GetEventResponseSchema } from "@annals/proto/ledger";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { afterEach, beforeEach, expect, it, test, vi } from "vitest";
import { type LedgerHandlers, Opened } from "../testing/test-ledger.ts";
import { connectBare } from "../testing/test-tls.ts";

const GET_EVENT = "/annals.ledger.v1.LedgerService/GetEvent";
const OK = "0";
const INVALID_ARGUMENT = "3";
const DEADLINE_EXCEEDED = "4";
const UNIMPLEMENTED = "12";

const opened = new Opened();
afterEach(() => opened.closeAll());

const REQUEST = toBinary(GetEventRequestSchema, create(GetEventRequestSchema, { id: "evt_1" }));

/** A message behind its prefix; `flags` and `length` as the test wants them. */
function framed(message: Uint8Array, { flags = 0, length = message.length } = {}): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flags;
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, message]);
}

interface Answer {
  readonly body: Buffer;
  /** Headers and trailers together. */
  readonly headers: IncomingHttpHeaders;
}

let session: ClientHttp2Session;
const seen: { path: string; header: Headers; timeLeft: number | undefined }[] = [];

const handlers: LedgerHandlers = {
  async getEvent({ id }, context) {
    seen.push({
      path: new URL(context.url).pathname,
      header: context.requestHeader,
      timeLeft: context.timeoutMs(),
    });
    if (id === "never") await once(context.signal, "abort");
    return { event: { id } };
  },
};

beforeEach(async () => {
  seen.length = 0;
  const server = await opened.server(handlers);
  session = connectBare(server.address);
  opened.add(() => session.destroy());
});

async function call(
  pieces: readonly Uint8Array[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const stream = session.request({
    ":method": "POST",
    ":path": GET_EVENT,
    "content-type": "application/grpc",
    te: "trailers",
    ...headers,
  });
  let received: IncomingHttpHeaders = {};
  const body: Buffer[] = [];
  stream.on("response", (head) => (received = { ...received, ...head }));
  stream.on("trailers", (trailers) => (received = { ...received, ...trailers }));
  stream.on("data", (chunk: Buffer) => body.push(chunk));
  for (const piece of pieces) stream.write(piece);
  stream.end();
  await once(stream, "close");
  return { body: Buffer.concat(body), headers: received };
}

it("answers a message that arrives in one piece, and one that arrives byte by byte", async () => {
  const bytes = [...framed(REQUEST)].map((byte) => Uint8Array.of(byte));
  for (const pieces of [[framed(REQUEST)], bytes]) {
    const { body, headers } = await call(pieces, { "x-request-id": "req_1" });
    expect(headers).toMatchObject({
      ":status": 200,
      "content-type": "application/grpc",
      "grpc-status": OK,
    });
    expect(body.readUInt32BE(1)).toBe(body.length - 5);
    const { event } = fromBinary(GetEventResponseSchema, body.subarray(5));
    expect(event?.id).toBe("evt_1");
  }
  expect(seen).toMatchObject([{ path: GET_EVENT, timeLeft: undefined }, { path: GET_EVENT }]);
  expect(seen[0]?.header.get("x-request-id")).toBe("req_1");
});

it("joins the pieces of a large message once", async () => {
  const id = "x".repeat(2 * 1024 * 1024);
  const message = framed(toBinary(GetEventRequestSchema, create(GetEventRequestSchema, { id })));
  const concat = vi.spyOn(Buffer, "concat");
  opened.add(() => concat.mockRestore());
  expect((await call([message])).headers["grpc-status"]).toBe(OK);
  const joined = concat.mock.results.map(({ value }) => (value as Buffer).length);
  const total = joined.reduce((sum, length) => sum + length, 0);
  // The request in the server, and the response of the same size, there and in this test.
  expect(total).toBeLessThan(4 * message.length);
});

test.for([
  ["nothing", []],
  ["part of the prefix", [Uint8Array.of(0, 0)]],
  ["less than the prefix announces", [framed(REQUEST, { length: REQUEST.length + 1 })]],
  ["two messages", [framed(REQUEST), framed(REQUEST)]],
  ["bytes that are no message", [framed(Uint8Array.of(0xff, 0xff, 0xff))]],
] as const)("%s is INVALID_ARGUMENT, and the next call is answered", async ([, pieces]) => {
  expect((await call(pieces)).headers).toMatchObject({
    ":status": 200,
    "grpc-status": INVALID_ARGUMENT,
  });
  expect(seen).toStrictEqual([]);
  expect((await call([framed(REQUEST)])).headers["grpc-status"]).toBe(OK);
});

it("refuses a compressed message, announced in the headers or in the message alone", async () => {
  const flagged = [framed(REQUEST, { flags: 1 })];
  expect((await call(flagged)).headers["grpc-status"]).toBe(UNIMPLEMENTED);
  const said = await call(flagged, { "grpc-encoding": "gzip" });
  expect(said.headers["grpc-status"]).toBe(UNIMPLEMENTED);
});

it("passes the deadline to the handler, and answers when it has passed", async () => {
  const message = framed(
    toBinary(GetEventRequestSchema, create(GetEventRequestSchema, { id: "never" })),
  );
  const { headers } = await call([message], { "grpc-timeout": "50m" });
  expect(headers["grpc-status"]).toBe(DEADLINE_EXCEEDED);
  expect(seen[0]?.timeLeft).toBeGreaterThan(0);
  expect(seen[0]?.timeLeft).toBeLessThanOrEqual(50);
});

it("answers an invalid timeout, one that is too long, JSON in gRPC, and an unknown method", async () => {
  // An empty message is one of every method.
  const statusOf = async (headers: Readonly<Record<string, string>>) =>
    (await call([framed(Uint8Array.of())], headers)).headers["grpc-status"];
  expect(await statusOf({ "grpc-timeout": "soon" })).toBe(INVALID_ARGUMENT);
  expect(await statusOf({ "grpc-timeout": "99999999H" })).toBe(INVALID_ARGUMENT);
  expect(await statusOf({ ":path": "/annals.ledger.v1.LedgerService/ListEvents" })).toBe(
    UNIMPLEMENTED,
  );
  const json = await call([framed(Buffer.from('{"id":"evt_2"}'))], {
    "content-type": "application/grpc+json",
  });
  expect(json.headers["grpc-status"]).toBe(OK);
  expect(json.body.toString()).toContain("evt_2");
});
