// Guarantee: whatever ends a call, its client, its connection or its deadline, aborts the signal of its
// handler, on every path through the server. What the handler then throws, the signal's reason, is answered
// and counted as CANCELLED or DEADLINE_EXCEEDED, and not logged.

import { once } from "node:events";
import { constants } from "node:http2";
import { GetEventRequestSchema } from "@annals/proto/ledger";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { afterEach, describe, expect, it, test, vi } from "vitest";
import { CANCELLABLE_HEADER, CANCELLED_BY_END } from "./cancellable.ts";
import { frame } from "./fast-path/message-frame.ts";
import { serverErrors } from "./interceptors/errors.ts";
import { callMetrics } from "./interceptors/metrics.ts";
import { collectingLog, type LedgerHandlers, Opened } from "./testing/test-ledger.ts";
import { connectBare } from "./testing/test-tls.ts";

const opened = new Opened();
afterEach(() => opened.closeAll());

/** Handlers that end as a statement does, when their signal aborts. */
async function openServer() {
  const ends: unknown[] = [];
  const statuses: string[] = [];
  const started = Promise.withResolvers<void>();
  const end = async (signal: AbortSignal): Promise<never> => {
    started.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    ends.push(signal.reason);
    throw signal.reason;
  };
  const handlers: LedgerHandlers = {
    getEvent: (_, { signal }) => end(signal),
    async *streamEvents(_, { signal }) {
      yield {};
      await end(signal);
    },
  };
  const { log, lines } = collectingLog();
  const duration = {
    observe: (labels: { readonly rpc_response_status_code: string }) =>
      void statuses.push(labels.rpc_response_status_code),
  };
  const interceptors = [callMetrics(duration), serverErrors(log)];
  const { address } = await opened.server(handlers, { log, interceptors });
  return { address, ends, lines, started: started.promise, statuses };
}

const CANCELLABLE = { [CANCELLABLE_HEADER]: CANCELLED_BY_END };
const BINARY = frame(toBinary(GetEventRequestSchema, create(GetEventRequestSchema, {})));

type Path = readonly [name: string, method: string, contentType: string, body: Buffer];

const GRPC: readonly Path[] = [
  ["the fast path", "GetEvent", "application/grpc", BINARY],
  ["Connect's path", "GetEvent", "application/grpc+json", frame(Buffer.from("{}"))],
  ["a stream", "StreamEvents", "application/grpc", BINARY],
];
const CONNECT: Path = ["Connect's protocol", "GetEvent", "application/json", Buffer.from("{}")];

/** Makes a call and waits until its handler has begun. */
async function openCall(
  [, method, contentType, body]: Path,
  headers: Readonly<Record<string, string>> = {},
  isEnded = true,
) {
  const server = await openServer();
  const session = connectBare(server.address);
  opened.add(() => session.destroy());
  session.on("error", () => {});
  const stream = session.request({
    ":method": "POST",
    ":path": `/annals.ledger.v1.LedgerService/${method}`,
    "content-type": contentType,
    te: "trailers",
    ...headers,
  });
  stream.on("error", () => {});
  stream.resume().write(body);
  if (isEnded) stream.end();
  await server.started;
  return { ...server, session, stream };
}

describe.each([...GRPC, CONNECT])("on %s", (...path) => {
  const [, , contentType] = path;
  const call = (headers = {}) => openCall(path, headers);

  it.each(["cancels", "ends its connection", "is gone"])(
    "a client that %s aborts the signal",
    async (how) => {
      const { ends, lines, session, statuses, stream } = await call();
      if (how === "cancels") stream.close(constants.NGHTTP2_CANCEL);
      else if (how === "is gone") session.socket.destroy();
      else session.destroy();
      await vi.waitFor(() => expect(statuses).toStrictEqual(["CANCELLED"]));
      expect(ends).toHaveLength(1);
      expect(lines.filter(({ level }) => level >= 40)).toStrictEqual([]);
    },
  );

  it("the deadline aborts the signal", async () => {
    const name = contentType === "application/json" ? "connect-timeout-ms" : "grpc-timeout";
    const value = name === "grpc-timeout" ? "50m" : "50";
    const { ends, lines, statuses, stream } = await call({ [name]: value });
    await vi.waitFor(() => expect(statuses).toStrictEqual(["DEADLINE_EXCEEDED"]));
    expect(ends).toHaveLength(1);
    if (!stream.closed) await once(stream, "close");
    expect(lines.filter(({ level }) => level >= 40)).toStrictEqual([]);
  });
});

test.each(GRPC)(
  "on %s, the end of a cancellable request aborts the signal, and no side resets the stream",
  async (...path) => {
    const { ends, statuses, stream } = await openCall(path, CANCELLABLE, false);
    let status: unknown;
    stream.on("response", (head) => (status ??= head["grpc-status"]));
    stream.on("trailers", (trailers) => (status ??= trailers["grpc-status"]));
    expect(ends).toHaveLength(0);
    stream.end();
    await once(stream, "close");
    expect(status).toBe(String(Code.Canceled));
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
    expect(statuses).toStrictEqual(["CANCELLED"]);
    expect(ends).toHaveLength(1);
  },
);

test("a signal given to the client's stream ends it on the server", async () => {
  const { address, ends, started } = await openServer();
  const { client } = opened.client(address);
  const left = new AbortController();
  const reading = (async () => {
    for await (const _ of client.streamEvents({}, { signal: left.signal }));
  })();
  await started;
  left.abort();
  await expect(reading).rejects.toMatchObject({ kind: "unavailable" });
  await vi.waitFor(() => expect(ends).toHaveLength(1));
});

test("a cancelled call ends for its caller when its handler has, and its response is read", async () => {
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const { address } = await opened.server({
    getUsage: () => ({}),
    getEvent: async () => {
      begun.resolve();
      await held.promise;
      return {};
    },
  });
  const { client } = opened.client(address);
  const left = new AbortController();
  let isEnded = false;
  const call = client
    .getEvent({}, { signal: left.signal })
    .catch((error: unknown) => error)
    .finally(() => (isEnded = true));
  await begun.promise;
  left.abort();
  await client.getUsage({});
  expect(isEnded).toBe(false);
  held.resolve();
  expect(await call).toMatchObject({ kind: "unavailable" });
});

test("a cancellable request that is not ended after its answer is closed by the server", async () => {
  const { address } = await opened.server({ getEvent: () => ({}) });
  const session = connectBare(address);
  opened.add(() => session.destroy());
  const path = "/annals.ledger.v1.LedgerService/GetEvent";
  const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc" };
  const stream = session.request({ ...headers, te: "trailers", ...CANCELLABLE });
  stream.resume().write(BINARY);
  const [trailers] = (await once(stream, "trailers")) as [Record<string, string>];
  expect(trailers["grpc-status"]).toBe("0");
  await once(stream, "close");
  expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
});

test("a call that is cancelled together with its request is no refusal of an unknown caller", async () => {
  const refusals: unknown[] = [];
  const refused = {
    inc: (...[labels, count = 1]: readonly unknown[]) => {
      if (Number(count) > 0) refusals.push(labels);
    },
  };
  const { address } = await opened.server({ getEvent: () => ({}) }, { refused });
  const session = connectBare(address);
  opened.add(() => session.destroy());
  const call = () => {
    const path = "/annals.ledger.v1.LedgerService/GetEvent";
    const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc" };
    const stream = session.request({ ...headers, te: "trailers" });
    stream.on("error", () => {}).resume();
    return stream;
  };
  const cancelled = Array.from({ length: 200 }, () => {
    const stream = call();
    stream.end(BINARY, () => stream.close(constants.NGHTTP2_CANCEL));
    return once(stream, "close");
  });
  await Promise.all(cancelled);
  const last = call().end(BINARY);
  await once(last, "close");
  expect(refusals).toStrictEqual([]);
});
