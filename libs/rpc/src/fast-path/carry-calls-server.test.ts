// Guarantee: whatever a peer sends on a stream of calls harms no other call, each is answered when it is
// done, and neither calls nor answers gather without bound.

import { once } from "node:events";
import {
  type ClientHttp2Stream,
  connect,
  createServer,
  type IncomingHttpHeaders,
} from "node:http2";
import type { AddressInfo } from "node:net";
import {
  type CarryCallsResponse,
  CarryCallsRequestSchema,
  CarryCallsResponseSchema,
} from "@annals/proto/calls";
import { GetEventRequestSchema, GetEventResponseSchema, LedgerService } from "@annals/proto/ledger";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, expect, it, vi } from "vitest";
import { CARRY_CALLS, carryCalls } from "./carry-calls-server.ts";
import { framed, FrameReader } from "./grpc-frame.ts";
import { echo, gated, Opened } from "../testing/test-ledger.ts";
import { unaryMethods } from "./unary-methods.ts";

const GET_EVENT = "/annals.ledger.v1.LedgerService/GetEvent";
const OK = "0";
const INVALID_ARGUMENT = "3";
const RESOURCE_EXHAUSTED = "8";
const UNIMPLEMENTED = "12";

const opened = new Opened();
afterEach(() => opened.closeAll());

type Call = MessageInitShape<typeof CarryCallsRequestSchema>;

const getEvent = (id: string) =>
  toBinary(GetEventRequestSchema, create(GetEventRequestSchema, { id }));
const frameOf = (call: Call) =>
  framed(toBinary(CarryCallsRequestSchema, create(CarryCallsRequestSchema, call)));

/** A stream to a server of ours, by hand. */
function rawStream(address: string): {
  stream: ClientHttp2Stream;
  answers: CarryCallsResponse[];
  ended: Promise<IncomingHttpHeaders>;
} {
  const session = connect(`http://${address}`);
  opened.add(() => session.destroy());
  const stream = session.request({
    ":method": "POST",
    ":path": CARRY_CALLS,
    "content-type": "application/grpc",
    te: "trailers",
  });
  const answers: CarryCallsResponse[] = [];
  const frames = new FrameReader(Infinity);
  stream.on("error", () => {});
  stream.on("data", (piece: Buffer) => {
    for (const bytes of frames.read(piece)) {
      answers.push(fromBinary(CarryCallsResponseSchema, bytes));
    }
  });
  const ended = once(stream, "trailers").then(([trailers]) => trailers as IncomingHttpHeaders);
  return { stream, answers, ended };
}

it("calls are answered in the order in which they are done, and the end comes last", async () => {
  const { handlers, open } = gated();
  const server = await opened.server({
    getEvent: async ({ id }) => (id === "quick" ? { event: { id } } : handlers.getEvent({ id })),
  });
  const { stream, answers, ended } = rawStream(server.address);
  stream.write(frameOf({ id: 7, path: GET_EVENT, message: getEvent("slow") }));
  stream.end(frameOf({ id: 8, path: GET_EVENT, message: getEvent("quick") }));
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  open();
  expect((await ended)["grpc-status"]).toBe(OK);
  expect(answers.map(({ id }) => id)).toStrictEqual([8, 7]);
  const [quick] = answers.map(({ message }) => fromBinary(GetEventResponseSchema, message));
  expect(quick?.event?.id).toBe("quick");
});

it("a method that is not there, and a message that is none, fail alone", async () => {
  const server = await opened.server(echo);
  const { stream, answers } = rawStream(server.address);
  const unknown = "/annals.ledger.v1.LedgerService/StreamEvents";
  stream.write(frameOf({ id: 1, path: unknown }));
  stream.write(frameOf({ id: 2, path: GET_EVENT, message: Uint8Array.of(0xff) }));
  stream.write(frameOf({ id: 3, path: GET_EVENT, message: getEvent("evt_1") }));
  await vi.waitFor(() => expect(answers).toHaveLength(3));
  const status = new Map(answers.map(({ id, trailer }) => [id, trailer["grpc-status"]]));
  expect(status).toStrictEqual(
    new Map([
      [1, UNIMPLEMENTED],
      [2, INVALID_ARGUMENT],
      [3, undefined],
    ]),
  );
});

it.each([
  ["what is no call", INVALID_ARGUMENT, [framed(Uint8Array.of(0xff, 0xff))]],
  [
    "an id that a call under way has",
    INVALID_ARGUMENT,
    [frameOf({ id: 1, path: GET_EVENT }), frameOf({ id: 1, path: GET_EVENT })],
  ],
  ["a length beyond all bounds", RESOURCE_EXHAUSTED, [Buffer.from([0, 255, 255, 255, 255])]],
  ["a compressed message", UNIMPLEMENTED, [Buffer.from([1, 0, 0, 0, 1, 0])]],
])("%s ends the stream with %s, and the server goes on", async (_, status, pieces) => {
  const { handlers } = gated();
  const server = await opened.server(handlers);
  const { stream, ended } = rawStream(server.address);
  for (const piece of pieces) stream.write(piece);
  expect((await ended)["grpc-status"]).toBe(status);
  await server.close({ graceMs: 0 });
});

it("no more calls are begun than may be under way at a time; all are answered in the end", async () => {
  const { handlers, counts, open } = gated();
  const server = await opened.server(handlers);
  const { stream, answers } = rawStream(server.address);
  const sent = 5_000;
  for (let id = 1; id <= sent; id += 1) {
    stream.write(frameOf({ id, path: GET_EVENT, message: getEvent("x") }));
  }
  await vi.waitFor(() => expect(counts.begun).toBeGreaterThanOrEqual(1_000));
  // What came with the thousandth is taken in with it: a frame of 16 KiB at most.
  const { client } = opened.client(server.address);
  for (let n = 0; n < 20; n += 1) await client.listEvents({}).catch(() => {});
  expect(counts.begun).toBeLessThan(2_000);
  open();
  await vi.waitFor(() => expect(answers).toHaveLength(sent), { timeout: 5_000 });
});

it("no more calls are begun while answers are not read", async () => {
  let begun = 0;
  const server = await opened.server({
    getEvent: () => ((begun += 1), { event: { id: "x".repeat(10_000) } }),
  });
  const { stream, answers } = rawStream(server.address);
  stream.pause();
  const sent = 3_000;
  for (let id = 1; id <= sent; id += 1) stream.write(frameOf({ id, path: GET_EVENT }));
  await vi.waitFor(() => expect(begun).toBeGreaterThan(0));
  const { client } = opened.client(server.address);
  for (let n = 0; n < 20; n += 1) await client.listEvents({}).catch(() => {});
  expect(begun).toBeLessThan(1_500);
  stream.resume();
  await vi.waitFor(() => expect(answers).toHaveLength(sent), { timeout: 5_000 });
});

it("a handler knows that the caller left, and what time is left", async () => {
  const left = Promise.withResolvers<unknown>();
  let timeLeft: number | undefined;
  const server = await opened.server({
    getEvent: (_event, { signal, timeoutMs }) =>
      new Promise<never>(() => {
        timeLeft = timeoutMs();
        signal.addEventListener("abort", () => left.resolve(signal.reason));
      }),
  });
  const { stream } = rawStream(server.address);
  stream.write(frameOf({ id: 1, path: GET_EVENT, timeoutMs: 5_000 }));
  await vi.waitFor(() => expect(timeLeft).toBeGreaterThan(0));
  expect(timeLeft).toBeLessThanOrEqual(5_000);
  stream.close();
  expect(ConnectError.from(await left.promise).code).toBe(Code.Canceled);
});

it("the stream of a connection that was told to go before it opened is told so too", async () => {
  const carry = carryCalls({
    methods: unaryMethods((router) => router.service(LedgerService, echo), []),
    maxMessageBytes: 1_000,
    maxTimeoutMs: 1_000,
    maxCalls: 10,
    retiring: () => AbortSignal.abort(),
    endEarly: () => {},
  });
  const server = createServer().listen(0, "127.0.0.1");
  opened.add(() => void server.close());
  server.on("stream", carry);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { stream, answers, ended } = rawStream(`127.0.0.1:${port}`);
  await vi.waitFor(() => expect(answers).toMatchObject([{ leaving: true }]));
  stream.end(frameOf({ id: 1, path: GET_EVENT, message: getEvent("evt_1") }));
  expect((await ended)["grpc-status"]).toBe(OK);
  expect(answers).toMatchObject([{ leaving: true }, { id: 1 }]);
});
