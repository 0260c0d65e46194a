// Guarantee: calls that share streams are answered each for itself; streams are few, spread over the
// servers when there is much to do, and left for others in time. What such calls have in common with calls
// that have a stream each is tested with those, in grpc-transport.test.ts and rpc-server.test.ts.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http2";
import {
  type AddressInfo,
  connect as connectTcp,
  createServer as createTcpServer,
  type Socket,
} from "node:net";
import { GetEventRequestSchema } from "@annals/proto/ledger";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CARRY_CALLS, MAX_CARRIED_BYTES } from "./carry-calls-server.ts";
import { echo, gated, Opened } from "../testing/test-ledger.ts";

const carried = { carriedMethods: ["GetEvent"] } as const;
const GET_EVENT = "/annals.ledger.v1.LedgerService/GetEvent";

const opened = new Opened();
afterEach(() => opened.closeAll());

/** Paths of the streams that servers in this process were asked for, and of those that are closed again. */
let streams: string[];
let closedStreams: string[];

interface StreamMessage {
  readonly stream: object;
  readonly headers?: IncomingHttpHeaders;
}

beforeEach(() => {
  streams = [];
  closedStreams = [];
  const paths = new Map<object, string>();
  follow("http2.server.stream.created", ({ stream, headers }) => {
    paths.set(stream, headers?.[":path"] ?? "");
    streams.push(headers?.[":path"] ?? "");
  });
  follow("http2.server.stream.close", ({ stream }) => closedStreams.push(paths.get(stream) ?? ""));
});

function follow(channel: string, told: (message: StreamMessage) => void): void {
  const listener = (message: unknown): void => told(message as StreamMessage);
  subscribe(channel, listener);
  opened.add(() => void unsubscribe(channel, listener));
}

describe("streams", () => {
  it("are shared by calls, those made before the first is open among them", async () => {
    const server = await opened.server(echo);
    const { client } = opened.client(server.address, carried);
    const ids = Array.from({ length: 100 }, (_, n) => `evt_${n}`);
    const first = await Promise.all(ids.map((id) => client.getEvent({ id })));
    expect(first.map(({ event }) => event?.id)).toStrictEqual(ids);
    for (const id of ids) expect((await client.getEvent({ id })).event?.id).toBe(id);
    expect(streams).toStrictEqual(Array(4).fill(CARRY_CALLS));
  });

  it("are one while calls come one after the other", async () => {
    const server = await opened.server(echo);
    const { client } = opened.client(server.address, carried);
    for (let n = 0; n < 20; n += 1) await client.getEvent({});
    expect(streams).toStrictEqual([CARRY_CALLS]);
  });

  it("are not taken by what can be cancelled, nor by what is large, to the byte", async () => {
    const server = await opened.server(echo);
    const { client } = opened.client(server.address, carried);
    await client.getEvent({}, { signal: new AbortController().signal });
    const request = (length: number) => create(GetEventRequestSchema, { id: "x".repeat(length) });
    const around = toBinary(GetEventRequestSchema, request(MAX_CARRIED_BYTES)).length;
    const most = request(2 * MAX_CARRIED_BYTES - around);
    expect(toBinary(GetEventRequestSchema, most)).toHaveLength(MAX_CARRIED_BYTES);
    expect((await client.getEvent(most)).event?.id).toBe(most.id);
    await client.getEvent({ id: `${most.id}x` });
    expect(streams).toStrictEqual([GET_EVENT, CARRY_CALLS, GET_EVENT]);
  });

  it("go to all servers while calls are under way", async () => {
    const { handlers, open } = gated();
    const begun: string[] = [];
    const reached = new Set<string>();
    const start = (name: string) =>
      opened.server({
        getEvent: (event) => (begun.push(name), handlers.getEvent(event)),
        listEvents: () => (reached.add(name), {}),
      });
    const servers = [await start("a"), await start("b")];
    const address = `ipv4:${servers.map((server) => server.address).join(",")}`;
    const { client } = opened.client(address, carried);
    await vi.waitFor(async () => {
      await client.listEvents({});
      expect(reached.size).toBe(2);
    });
    const calls = Array.from({ length: 4 }, () => client.getEvent({}));
    await vi.waitFor(() => expect(begun).toHaveLength(4));
    expect(begun.toSorted()).toStrictEqual(["a", "a", "b", "b"]);
    open();
    await Promise.all(calls);
  });

  it("are left for others when they have reached their age, so each server gets its share", async () => {
    const counts = [0, 0];
    const servers = await Promise.all(
      counts.map((_, n) => opened.server({ getEvent: () => ((counts[n]! += 1), {}) })),
    );
    const address = `ipv4:${servers.map((server) => server.address).join(",")}`;
    const { client } = opened.client(address, { ...carried, streamAgeMs: 0 });
    await vi.waitFor(async () => {
      await client.getEvent({});
      expect(Math.min(...counts)).toBeGreaterThan(0);
    });
    counts.fill(0);
    for (let n = 0; n < 100; n += 1) await client.getEvent({});
    expect(counts).toStrictEqual([50, 50]);
  });

  it("end when the client closes, once all is answered that was called, sent or not", async () => {
    const { handlers, counts, open } = gated();
    const server = await opened.server(handlers);
    const rpc = opened.client(server.address, carried);
    const calls: ReturnType<typeof rpc.client.getEvent>[] = [];
    const call = () => calls.push(rpc.client.getEvent({ id: `evt_${calls.length}` }));
    while (calls.length < 4) call();
    await vi.waitFor(() => expect(counts.begun).toBe(calls.length));
    while (calls.length < 40) call();
    rpc.close();
    await vi.waitFor(() => expect(counts.begun).toBe(calls.length));
    expect(closedStreams).not.toContain(CARRY_CALLS);
    open();
    const answers = await Promise.all(calls);
    expect(answers.map(({ event }) => event?.id)).toStrictEqual(calls.map((_, n) => `evt_${n}`));
    const shared = () => closedStreams.filter((path) => path === CARRY_CALLS);
    await vi.waitFor(() => expect(shared()).toHaveLength(4));
  });
});

it("a call that is not answered fails when its deadline has passed", async () => {
  const server = await opened.server({ getEvent: () => new Promise<never>(() => {}) });
  const { client } = opened.client(server.address, { ...carried, timeoutMs: 100 });
  const failure = await client.getEvent({}).catch((error: unknown) => error as Error);
  expect(ConnectError.from((failure as Error).cause).code).toBe(Code.DeadlineExceeded);
});

it("a call whose deadline passes before a server is reached is not made", async () => {
  const begun: string[] = [];
  const gate = createTcpServer((socket) => held.push(socket.pause()));
  const held: Socket[] = [];
  gate.listen(0, "127.0.0.1");
  await once(gate, "listening");
  opened.add(() => void gate.close());
  const server = await opened.server({ getEvent: ({ id }) => (begun.push(id), { event: { id } }) });
  // A way to the server that takes connections and passes nothing on until it is told.
  const { port } = gate.address() as AddressInfo;
  const { client } = opened.client(`127.0.0.1:${port}`, carried);
  const calls = Array.from({ length: 12 }, (_, n) =>
    client.getEvent({ id: `late ${n}` }, { timeoutMs: 50 }),
  );
  for (const one of await Promise.allSettled(calls)) expect(one.status).toBe("rejected");
  const patient = client.getEvent({ id: "patient" });
  for (const socket of held) {
    const onward = connectTcp(server.port, "127.0.0.1");
    opened.add(() => void onward.destroy());
    socket.pipe(onward).pipe(socket);
  }
  expect((await patient).event?.id).toBe("patient");
  expect(begun).toStrictEqual(["patient"]);
});

it("calls whose server dies before it answers fail, and are made once", async () => {
  const { handlers, counts } = gated();
  const dying = await opened.server(handlers);
  const { client } = opened.client(dying.address, carried);
  const calls = Array.from({ length: 12 }, () => client.getEvent({}));
  const settled = Promise.allSettled(calls);
  await vi.waitFor(() => expect(counts.begun).toBe(calls.length));
  await dying.close({ graceMs: 0 });
  for (const one of await settled) expect(one).toMatchObject({ reason: { kind: "unavailable" } });
  expect(counts.begun).toBe(calls.length);
});

it("an answer that is too large fails alone", async () => {
  const server = await opened.server(
    { getEvent: ({ id }) => ({ event: { id: id === "large" ? "x".repeat(20_000) : id } }) },
    { maxMessageBytes: 10_000 },
  );
  const { client } = opened.client(server.address, carried);
  const [large, small] = await Promise.allSettled([
    client.getEvent({ id: "large" }),
    client.getEvent({ id: "small" }),
  ]);
  expect(small).toMatchObject({ value: { event: { id: "small" } } });
  const { cause } = (large as PromiseRejectedResult).reason as Error;
  expect(ConnectError.from(cause).code).toBe(Code.ResourceExhausted);
});
