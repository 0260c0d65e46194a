// Guarantee: a service that stops waits for no call to another one. Each ends for its caller at once, with or
// without a signal of its own, while the other service works on it, and while it has not accepted the
// connection. None is sent after that.

import { getEventListeners, once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { LedgerService } from "@annals/proto/ledger";
import { type Client, Code, createClient } from "@connectrpc/connect";
import { afterEach, describe, expect, test } from "vitest";
import { endingWith } from "./stopping.ts";
import { echo, Opened } from "./testing/test-ledger.ts";

const opened = new Opened();
afterEach(() => opened.closeAll());

/** A deadline that does not pass within the time of a test. */
const NEVER_MS = 3_600_000;

type Call = (client: Client<typeof LedgerService>, own: AbortSignal) => Promise<unknown>;

async function read(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

const CALLS: readonly (readonly [name: string, call: Call])[] = [
  ["a call", (client) => client.getEvent({})],
  ["a call with a signal", (client, signal) => client.getEvent({}, { signal })],
  ["a stream", (client) => read(client.streamEvents({}))],
  ["a stream with a signal", (client, signal) => read(client.streamEvents({}, { signal }))],
];

/** A server whose handlers end with the test, also if their calls are cancelled, as in a paused process. */
async function pausedServer() {
  const held = Promise.withResolvers<void>();
  const called = Promise.withResolvers<void>();
  const hang = async () => {
    called.resolve();
    await held.promise;
    return {};
  };
  const { address } = await opened.server({
    getEvent: hang,
    async *streamEvents() {
      yield await hang();
    },
  });
  opened.add(() => held.resolve());
  return { address, called: called.promise };
}

/** A server that accepts connections and never sends a byte. */
async function silentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on("error", () => {})));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  opened.add(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  const called = once(server, "connection");
  return { address: `127.0.0.1:${port}`, called };
}

describe.each([
  ["works on it", pausedServer],
  ["does not accept the connection", silentServer],
])("a server that %s", (_, open) => {
  test.each(CALLS)("%s ends when its service stops", async (_name, call) => {
    const { address, called } = await open();
    const stopping = new AbortController();
    const options = { stopping: stopping.signal, timeoutMs: NEVER_MS };
    const { client } = opened.client(address, options);
    const own = new AbortController();
    const left = call(client, own.signal);
    await called;
    // The loop that waits for the call is told first.
    own.abort();
    stopping.abort();
    const ended = { kind: "unavailable", cause: { code: Code.Canceled } };
    await expect(left).rejects.toMatchObject(ended);
  });
});

test.each(CALLS)("%s of a service that has stopped is not sent", async (_, call) => {
  let sent = 0;
  const send = () => {
    sent += 1;
    return new Promise<never>(() => {});
  };
  const transport = endingWith(AbortSignal.abort(), { unary: send, stream: send });
  const client = createClient(LedgerService, transport);
  await expect(call(client, new AbortController().signal)).rejects.toThrow("the service stops");
  expect(sent).toBe(0);
});

test("a call that has ended leaves nothing behind", async () => {
  const { address } = await opened.server(echo);
  const { signal: stopping } = new AbortController();
  const { client } = opened.client(address, { stopping });
  await client.getEvent({ id: "one" });
  expect(getEventListeners(stopping, "abort")).toHaveLength(0);
});
