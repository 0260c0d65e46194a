// Guarantees: calls are spread over all servers, and a server that comes back is used again; a
// connection that reaches its age fails no call; a drain lets open calls finish and takes no new
// one; no peer can end the process.

import { connect as connectTcp } from "node:net";
import { once } from "node:events";
import { AnnalsError } from "@annals/errors";
import { LedgerService } from "@annals/proto/ledger";
import { afterEach, describe, expect, it, vi } from "vitest";
import { KEEPALIVE_TIME_MS } from "./client.ts";
import { collectingLog, echo, gated, GRACE_MS, Opened } from "./testing/test-ledger.ts";
import { connectBare } from "./testing/test-tls.ts";

/** A wait of this length does not end within the time of a test. */
const NEVER_MS = 3_600_000;
const WAITED_MS = 60_000;

const opened = new Opened();
afterEach(() => opened.closeAll());

describe("several servers", () => {
  it("get the calls round robin", async () => {
    const counts = [0, 0];
    const servers = await Promise.all(
      counts.map((_, n) => opened.server({ getEvent: () => ((counts[n]! += 1), {}) })),
    );
    const address = `ipv4:${servers.map((server) => server.address).join(",")}`;
    const { client } = opened.client(address);
    await vi.waitFor(async () => {
      await client.getEvent({});
      expect(Math.min(...counts)).toBeGreaterThan(0);
    });
    counts.fill(0);
    for (let n = 0; n < 100; n++) await client.getEvent({});
    expect(counts).toStrictEqual([50, 50]);
  });

  it("lose one, and no call fails that it had not begun; back on its port it is used again", async () => {
    const first = await opened.server(echo);
    const second = await opened.server(echo);
    const { client } = opened.client(`ipv4:${first.address},${second.address}`);
    for (let n = 0; n < 10; n++) await client.getEvent({});
    await second.close({ graceMs: GRACE_MS });
    for (let n = 0; n < 50; n++) await client.getEvent({});
    let calls = 0;
    await opened.server({ getEvent: () => ((calls += 1), {}) }, { port: second.port });
    await vi.waitFor(
      async () => {
        await client.getEvent({});
        expect(calls).toBeGreaterThan(0);
      },
      { timeout: 4_000 },
    );
  });
});

it("a restarted server is used again", async () => {
  const before = await opened.server(echo);
  const { client } = opened.client(before.address);
  await client.getEvent({});
  await before.close({ graceMs: 0 });
  await expect(client.getEvent({})).rejects.toThrow(AnnalsError);
  await opened.server(echo, { port: before.port });
  await vi.waitFor(() => client.getEvent({}), { timeout: WAITED_MS, interval: 20 });
});

describe("a call whose server dies before it answers", () => {
  async function dyingAndAlive() {
    const calls: string[] = [];
    const dying = await opened.server({
      getEvent: () => die(),
      createEvents: () => die(),
    });
    const die = (): Promise<never> => {
      calls.push("dying");
      void dying.close({ graceMs: 0 });
      return new Promise<never>(() => {});
    };
    const answer = () => (calls.push("alive"), {});
    const alive = await opened.server({ getEvent: answer, createEvents: answer });
    const rpc = opened.client(`ipv4:${dying.address},${alive.address}`, {
      idempotentMethods: ["GetEvent"],
    });
    return { calls, client: rpc.client };
  }

  it("is retried when its method is named idempotent", async () => {
    const { calls, client } = await dyingAndAlive();
    while (!calls.includes("dying")) await client.getEvent({});
    expect(calls.slice(calls.indexOf("dying"))).toStrictEqual(["dying", "alive"]);
  });

  it("fails when its method is not", async () => {
    const { calls, client } = await dyingAndAlive();
    const calling = async () => {
      while (calls.length < 100) await client.createEvents({});
    };
    await expect(calling()).rejects.toMatchObject({ kind: "unavailable" });
    expect(calls.at(-1)).toBe("dying");
  });
});

describe("a connection that reaches its age,", () => {
  it("fails no call of thousands, and each call is made once", async () => {
    let handled = 0;
    let connections = 0;
    const server = await opened.server(
      {
        getEvent: ({ id }) => ((handled += 1), { event: { id } }),
        async *streamEvents() {
          handled += 1;
          yield { count: 1 };
          yield { count: 2 };
        },
      },
      { maxConnectionAgeMs: 50, random: () => ((connections += 1), Math.random()) },
    );
    const { client } = opened.client(server.address);
    let sent = 0;
    const caller = async () => {
      while (sent < 2_000 || connections <= 10) {
        const id = String((sent += 1));
        expect((await client.getEvent({ id })).event?.id).toBe(id);
        sent += 1;
        let count = 0;
        for await (const message of client.streamEvents({})) count += message.count;
        expect(count).toBe(3);
      }
    };
    await Promise.all(Array.from({ length: 32 }, caller));
    expect(handled).toBe(sent);
  });

  it("fails no call on a connection that was idle at that moment", async () => {
    const server = await opened.server(echo, { maxConnectionAgeMs: 50 });
    const { client } = opened.client(server.address);
    for (let n = 0; n < 300; n++) {
      expect((await client.getEvent({ id: "x" })).event?.id).toBe("x");
      await new Promise((resolve) => setTimeout(resolve, n % 7));
    }
  });

  it("lets an open call continue past the next keepalive ping", async () => {
    const { handlers, counts, open } = gated();
    const server = await opened.server(handlers, { maxConnectionAgeMs: 20 });
    const { client } = opened.client(server.address);
    const call = client.getEvent({ id: "kept" });
    await vi.waitFor(() => expect(counts.begun).toBe(1));
    // A ping cannot be observed from outside, so the test waits for longer than its interval.
    setTimeout(open, 1.5 * KEEPALIVE_TIME_MS);
    expect((await call).event?.id).toBe("kept");
  });

  it("lets open calls finish, and closes after the grace period", async () => {
    const gate = Promise.withResolvers<void>();
    const handlers = {
      getEvent: ({ id }: { id: string }) => gate.promise.then(() => ({ event: { id } })),
    };
    const patient = await opened.server(handlers, { maxConnectionAgeMs: 20 });
    const hasty = await opened.server(handlers, {
      maxConnectionAgeMs: 20,
      maxConnectionAgeGraceMs: 20,
    });
    const open = opened.client(patient.address).client.getEvent({ id: "kept" });
    await expect(opened.client(hasty.address).client.getEvent({})).rejects.toMatchObject({
      kind: "unavailable",
    });
    gate.resolve();
    expect((await open).event?.id).toBe("kept");
  });
});

describe("a drain,", () => {
  it("lets the open call finish, and accepts no new connection", async () => {
    const gate = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const server = await opened.server({
      async getEvent() {
        started.resolve();
        await gate.promise;
        return { event: { id: "finished" } };
      },
    });
    const { client } = opened.client(server.address);
    const call = client.getEvent({});
    await started.promise;
    const closed = server.close({ graceMs: GRACE_MS });
    await expect(opened.client(server.address).client.getEvent({})).rejects.toMatchObject({
      kind: "unavailable",
    });
    gate.resolve();
    expect((await call).event?.id).toBe("finished");
    await closed;
    await expect(client.getEvent({})).rejects.toMatchObject({ kind: "unavailable" });
  });

  it("does not wait when no call is open", async () => {
    const server = await opened.server(echo);
    await opened.client(server.address).client.getEvent({});
    await expect(server.close({ graceMs: NEVER_MS })).resolves.toBeUndefined();
  });

  it("ends after the grace period though a call is still open", async () => {
    const aborted = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const server = await opened.server({
      getEvent: (_event, { signal }) =>
        new Promise<never>(() => {
          started.resolve();
          signal.addEventListener("abort", () => aborted.resolve());
        }),
    });
    const call = Promise.allSettled([opened.client(server.address).client.getEvent({})]);
    await started.promise;
    await server.close({ graceMs: 30 });
    expect(await call).toMatchObject([{ reason: { kind: "unavailable" } }]);
    await aborted.promise;
  });
});

async function getEventAsJson(address: string): Promise<unknown> {
  const session = connectBare(address);
  opened.add(() => session.destroy());
  const request = session.request({
    ":method": "POST",
    ":path": "/annals.ledger.v1.LedgerService/GetEvent",
    "content-type": "application/json",
  });
  request.end('{"id":"evt_1"}');
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return JSON.parse(body);
}

it("handlers are created once for all protocols", async () => {
  let made = 0;
  const server = await opened.server(
    {},
    {
      routes: (router) => {
        const own = String((made += 1));
        router.service(LedgerService, { getEvent: () => ({ event: { id: own } }) });
      },
    },
  );
  const { client } = opened.client(server.address);
  expect((await client.getEvent({})).event?.id).toBe("1");
  expect(await getEventAsJson(server.address)).toStrictEqual({ event: { id: "1" } });
});

it("a client that speaks no HTTP/2, or disconnects during a call, does not affect others", async () => {
  const { log, lines } = collectingLog();
  const server = await opened.server(
    { getEvent: ({ id }) => ({ event: { id } }), createEvents: () => new Promise<never>(() => {}) },
    { log },
  );
  const { client } = opened.client(server.address);
  for (const bytes of [
    "GET / HTTP/1.1\r\n\r\n",
    "\0".repeat(100),
    `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${"\xff".repeat(20)}`,
  ]) {
    const socket = connectTcp(server.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(bytes, "latin1");
    socket.resume();
    await once(socket, "close");
  }
  const session = connectBare(server.address);
  session.on("error", () => {});
  const request = session.request({
    ":method": "POST",
    ":path": "/annals.ledger.v1.LedgerService/CreateEvents",
    "content-type": "application/grpc",
  });
  request.on("error", () => {});
  request.write("\0\0");
  await once(session, "remoteSettings");
  session.destroy();
  expect((await client.getEvent({ id: "alive" })).event?.id).toBe("alive");
  const warnings = lines.filter((line) => line.level >= 40).map(({ msg }) => msg);
  expect(new Set(warnings)).toStrictEqual(new Set(["a TLS handshake of an rpc client failed"]));
});

it("an address in use is named when the server cannot listen", async () => {
  const { port } = await opened.server(echo);
  await expect(opened.server(echo, { port })).rejects.toThrow(
    `The RPC server cannot listen on 127.0.0.1, port ${port}: listen EADDRINUSE`,
  );
});
