// Guarantees: what one side puts into a call, the other side gets: messages one by one and in streams,
// every kind of error with its faults, the deadline, the cancellation. A reader that leaves a stream ends
// it on the server.

import { getEventListeners } from "node:events";
import { AnnalsError, type ErrorKind } from "@annals/errors";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, describe, expect, it, vi } from "vitest";
import { collectingLog, echo, Opened } from "./testing/test-ledger.ts";

const opened = new Opened();
afterEach(() => opened.closeAll());

async function failureOf(call: Promise<unknown>): Promise<AnnalsError> {
  const failure = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(AnnalsError);
  return failure as AnnalsError;
}

describe("messages", () => {
  it("come back from unary calls, bytes and headers included", async () => {
    let seen: Headers | undefined;
    const server = await opened.server({
      getEvent({ id }, { requestHeader, responseHeader }) {
        seen = requestHeader;
        responseHeader.set("x-head", "one");
        return { event: { id, proof: { salts: new Uint8Array([1, 2]) } } };
      },
    });
    const { client } = opened.client(server.address);
    let head: string | null = null;
    const answer = await client.getEvent(
      { id: "evt_ü😀" },
      {
        headers: { "x-request-id": "req_1" },
        onHeader: (header) => (head = header.get("x-head")),
      },
    );
    expect(answer.event?.id).toBe("evt_ü😀");
    expect(answer.event?.proof?.salts).toStrictEqual(new Uint8Array([1, 2]));
    expect(seen?.get("x-request-id")).toBe("req_1");
    expect(head).toBe("one");
  });

  it("of a unary call leave no listener on its signal", async () => {
    const server = await opened.server(echo);
    const { client } = opened.client(server.address);
    const { signal } = new AbortController();
    await client.getEvent({ id: "one" }, { signal });
    await vi.waitFor(() => expect(getEventListeners(signal, "abort")).toHaveLength(0));
  });

  it("arrive in order from a stream, up to its error", async () => {
    const server = await opened.server({
      async *streamEvents() {
        for (let n = 1; n <= 1_000; n++) yield { first: { sequenceNumber: BigInt(n) } };
        throw new AnnalsError("invalid", "Enough.");
      },
    });
    const { client } = opened.client(server.address);
    const seen: bigint[] = [];
    const reading = (async () => {
      for await (const { first } of client.streamEvents({}))
        seen.push(first?.sequenceNumber ?? -1n);
    })();
    expect((await failureOf(reading)).kind).toBe("invalid");
    expect(seen).toStrictEqual(Array.from({ length: seen.length }, (_, n) => BigInt(n + 1)));
    expect(seen.length).toBeGreaterThan(0);
  });

  it("of a stream arrive up to the last", async () => {
    const server = await opened.server({
      async *streamEvents() {
        for (let n = 1; n <= 2_000; n++) yield { text: Buffer.alloc(500), count: 1 };
      },
    });
    const { client } = opened.client(server.address);
    let count = 0;
    for await (const message of client.streamEvents({})) count += message.count;
    expect(count).toBe(2_000);
  });

  it("may be none", async () => {
    const server = await opened.server({ async *streamEvents() {} });
    const { client } = opened.client(server.address);
    for await (const _ of client.streamEvents({})) expect.unreachable();
  });
});

describe("errors of calls", () => {
  const kinds: Record<ErrorKind, string> = {
    unauthenticated: "No key.",
    scope_missing: "100% & more: a+b, ü",
    permission_denied: "m",
    plan_feature_unavailable: "m",
    plan_count_exceeded: "m",
    plan_quota_exceeded: "m",
    not_found: "m",
    invalid: "m",
    rate_limited: "m",
    unavailable: "m",
    internal: "Internal error.",
  };
  it.each(Object.entries(kinds) as [ErrorKind, string][])(
    "of kind come whole",
    async (kind, message) => {
      const faults = [{ field: "events[3].action", message: "is not there" }];
      const thrown = new AnnalsError(kind, message, { faults, retryAfterS: 7 });
      const server = await opened.server({
        getEvent() {
          throw thrown;
        },
        // oxlint-disable-next-line require-yield -- it fails before its first message
        async *streamEvents() {
          throw thrown;
        },
      });
      const { client } = opened.client(server.address);
      const calls = [client.getEvent({}), client.streamEvents({})[Symbol.asyncIterator]().next()];
      for (const call of calls) {
        const {
          kind: gotKind,
          message: gotMessage,
          faults: gotFaults,
          retryAfterS,
        } = await failureOf(call);
        expect({ gotKind, gotMessage, retryAfterS }).toStrictEqual({
          gotKind: kind,
          gotMessage: message,
          retryAfterS: 7,
        });
        expect(gotFaults).toMatchObject(faults);
      }
    },
  );

  it("that are no AnnalsError hide their text from the client and are logged once, with their cause", async () => {
    const { log, lines } = collectingLog();
    const server = await opened.server(
      {
        getEvent() {
          throw new TypeError("password is hunter2");
        },
        listEvents() {
          throw new AnnalsError("not_found", "No such event.");
        },
      },
      { log },
    );
    const { client } = opened.client(server.address);
    const failure = await failureOf(client.getEvent({}, { headers: { "x-request-id": "req_7" } }));
    await failureOf(client.listEvents({}));
    expect(failure.kind).toBe("internal");
    expect(failure.message).toBe("Internal error.");
    const failed = lines.filter((line) => line.level >= 40);
    expect(failed).toMatchObject([
      {
        level: 50,
        msg: "rpc failed",
        rpc_method: "get-event",
        request_id: "req_7",
        err: { type: "TypeError" },
      },
    ]);
  });

  it("for a method that the server lacks is UNIMPLEMENTED", async () => {
    const server = await opened.server({});
    const { client } = opened.client(server.address);
    const failure = await failureOf(client.getEvent({}));
    expect(failure.kind).toBe("internal");
    expect(ConnectError.from(failure.cause).code).toBe(Code.Unimplemented);
  });

  it("when nothing listens is unavailable, at once", async () => {
    const { client } = opened.client("127.0.0.1:1", { timeoutMs: 60_000 });
    expect((await failureOf(client.getEvent({}))).kind).toBe("unavailable");
  });
});

describe("deadline and cancellation of calls", () => {
  /** Handlers that wait for the end of their call, and tell why it ended. */
  function waiting() {
    const ends: unknown[] = [];
    const started = Promise.withResolvers<void>();
    const end = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        started.resolve();
        signal.addEventListener("abort", () => {
          ends.push(signal.reason);
          reject(signal.reason as Error);
        });
      });
    return {
      ends,
      started: started.promise,
      handlers: {
        getEvent: (_: unknown, { signal }: { signal: AbortSignal }) => end(signal),
        async *streamEvents(_: unknown, { signal }: { signal: AbortSignal }) {
          yield {};
          await end(signal);
        },
      },
    };
  }

  it("the default deadline ends the call on both ends", async () => {
    const { ends, handlers } = waiting();
    const server = await opened.server(handlers);
    // The call reaches the handler before, also on a busy machine.
    const { client } = opened.client(server.address, { timeoutMs: 2_000 });
    const failure = await failureOf(client.getEvent({}));
    expect(failure.kind).toBe("unavailable");
    expect(ConnectError.from(failure.cause).code).toBe(Code.DeadlineExceeded);
    await vi.waitFor(() => expect(ends).toHaveLength(1), 30_000);
  });

  it("a call's own deadline overrides the default, and reaches the handler", async () => {
    let left: number | undefined;
    const server = await opened.server({
      getEvent(_, { timeoutMs }) {
        left = timeoutMs();
        return {};
      },
    });
    const { client } = opened.client(server.address, { timeoutMs: 10 });
    await client.getEvent({}, { timeoutMs: 30_000 });
    expect(left).toBeGreaterThan(20_000);
  });

  it("a signal cancels the call on both ends", async () => {
    const { ends, started, handlers } = waiting();
    const server = await opened.server(handlers);
    const { client } = opened.client(server.address);
    const stop = new AbortController();
    const call = failureOf(client.getEvent({}, { signal: stop.signal }));
    await started;
    stop.abort();
    expect((await call).kind).toBe("unavailable");
    await vi.waitFor(() => expect(ends).toHaveLength(1));
  });

  it("a signal aborted before the call prevents it", async () => {
    let calls = 0;
    const server = await opened.server({ getEvent: () => ({ event: { id: String(++calls) } }) });
    const { client } = opened.client(server.address);
    await failureOf(client.getEvent({}, { signal: AbortSignal.abort() }));
    expect((await client.getEvent({})).event?.id).toBe("1");
  });

  it("ending the iteration of a stream ends it on the server", async () => {
    const { ends, handlers } = waiting();
    const server = await opened.server(handlers);
    const { client } = opened.client(server.address, { timeoutMs: 60_000 });
    for await (const _ of client.streamEvents({})) break;
    await vi.waitFor(() => expect(ends).toHaveLength(1));
  });
});

it("a message over the limit is refused with its size, and the server keeps serving", async () => {
  const seen: number[] = [];
  const getEvent = ({ id }: { id: string }) => (seen.push(id.length), { event: { id } });
  const server = await opened.server({ getEvent }, { maxMessageBytes: 100_000 });
  const { client } = opened.client(server.address);
  for (const size of [100_001, 1_000_000, 10_000_000]) {
    const { cause } = await failureOf(client.getEvent({ id: "x".repeat(size) }));
    expect(ConnectError.from(cause).code).toBe(Code.ResourceExhausted);
    expect(ConnectError.from(cause).message).toMatch(/100000/);
  }
  expect((await client.getEvent({ id: "small" })).event?.id).toBe("small");
  expect(seen).toStrictEqual(["small".length]);
});
