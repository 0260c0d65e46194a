// Guarantee: whatever a receiver does, an attempt ends within its deadline, with the outcome that
// the interface names, and without holding memory; a redirect is not followed; the certificate must
// be right.

import { systemClock } from "@annals/contract";
import { CertificateAuthority, eventually, Subscriber } from "@annals/testing";
import { createServer as createTcp, type AddressInfo } from "node:net";
import { createServer as createTls } from "node:tls";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { AddressGuard, systemResolve } from "./address-guard.ts";
import { Sender } from "./sender.ts";

const TIMEOUT_MS = 500;
const MIB = 1024 * 1024;
const authority = new CertificateAuthority();
const guard = new AddressGuard({ resolve: systemResolve, allowPrivateAddresses: true });

function newSender(timeoutMs = TIMEOUT_MS, extraAuthorities: string | undefined = authority.cert) {
  const sender = new Sender({ guard, clock: systemClock(), timeoutMs, extraAuthorities });
  onTestFinished(() => sender.close());
  const send = async (url: string) => {
    const started = performance.now();
    const message = { url, secret: "whsec_eA==", payloadId: "wh_evt_1", body: Buffer.from("{}") };
    const result = await sender.send(message);
    return { ...result, ms: performance.now() - started };
  };
  return { sender, send };
}

async function newSubscriber(...hosts: string[]): Promise<Subscriber> {
  const subscriber = await Subscriber.start(authority, ...hosts);
  onTestFinished(() => subscriber.close());
  return subscriber;
}

/** A TLS server that writes what it is told to each connection and reads what comes. */
async function rawServer(write: (socket: NodeJS.WritableStream) => void): Promise<string> {
  const server = createTls(authority.issue("127.0.0.1"), (socket) => {
    socket.on("error", () => {});
    socket.once("data", () => write(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Writes as fast as it is read, until the other side goes away. */
function flood(socket: NodeJS.WritableStream, chunk: Buffer): void {
  let isOpen = true;
  socket.on("close", () => (isOpen = false));
  const more = (): void => {
    while (isOpen && socket.write(chunk));
  };
  socket.on("drain", more);
  more();
}

describe("answers", () => {
  test.each([200, 201, 202, 204, 206, 299])("%i is success", async (status) => {
    const subscriber = await newSubscriber();
    subscriber.answer = (response) => void response.writeHead(status).end();
    expect(await newSender().send(subscriber.url())).toMatchObject({
      outcome: "success",
      statusCode: status,
    });
  });

  test.each([300, 301, 302, 303, 304, 307, 308, 400, 401, 404, 410, 429, 500, 503])(
    "%i is a refusal, and nothing follows",
    async (status) => {
      const subscriber = await newSubscriber();
      const other = await newSubscriber();
      subscriber.answer = (response) =>
        void response.writeHead(status, { location: other.url("elsewhere") }).end();
      expect(await newSender().send(subscriber.url())).toMatchObject({
        outcome: "refused",
        statusCode: status,
      });
      expect([subscriber.received.length, other.connections]).toEqual([1, 0]);
    },
  );

  test("101 is a refusal", async () => {
    const url = await rawServer((socket) =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
    );
    expect(await newSender().send(url)).toMatchObject({ outcome: "refused", statusCode: 101 });
  });

  test("what is not HTTP has no status", async () => {
    const url = await rawServer((socket) => socket.write("hello\r\n\r\n"));
    expect(await newSender().send(url)).toMatchObject({ outcome: "answer", statusCode: null });
  });
});

describe("time", () => {
  const late = async (url: string, timeoutMs = TIMEOUT_MS) => {
    const result = await newSender(timeoutMs).send(url);
    expect(result.ms).toBeGreaterThanOrEqual(timeoutMs - 5);
    expect(result.ms).toBeLessThan(timeoutMs + 500);
    return result;
  };

  test("a port that accepts and says nothing: no TLS", async () => {
    const server = createTcp(() => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await late(url)).toMatchObject({ outcome: "timeout", statusCode: null });
  });

  test("a server that reads and never answers", async () => {
    const url = await rawServer(() => {});
    expect(await late(url)).toMatchObject({ outcome: "timeout", statusCode: null });
  });

  test("headers that drip", async () => {
    const url = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nx: ");
      const timer = setInterval(() => socket.write("y"), 20);
      socket.on("close", () => clearInterval(timer));
    });
    expect(await late(url)).toMatchObject({ outcome: "timeout", statusCode: null });
  });

  test("1xx answers without end", async () => {
    const url = await rawServer((socket) => {
      const timer = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 5);
      socket.on("close", () => clearInterval(timer));
    });
    expect(await late(url)).toMatchObject({ outcome: "timeout", statusCode: null });
  });

  test("a name that does not resolve in time", async () => {
    const slow = new AddressGuard({
      resolve: () => new Promise(() => {}),
      allowPrivateAddresses: true,
    });
    const sender = new Sender({
      guard: slow,
      clock: systemClock(),
      timeoutMs: TIMEOUT_MS,
      extraAuthorities: undefined,
    });
    onTestFinished(() => sender.close());
    const message = { secret: "whsec_eA==", payloadId: "wh_evt_1", body: Buffer.from("{}") };
    expect(await sender.send({ ...message, url: "https://example.com/" })).toMatchObject({
      outcome: "timeout",
    });
  });

  test("a body of a byte a second: the place is free by 10.5 s, with the real deadline", async () => {
    const url = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
      const timer = setInterval(() => socket.write("."), 1_000);
      socket.on("close", () => clearInterval(timer));
    });
    // The status came in time, and that is what a delivery asks for (interface 6).
    expect(await late(url, 10_000)).toMatchObject({ outcome: "success", statusCode: 200 });
  });
});

describe("size", () => {
  /** What `work` adds to the memory of this process at its highest. */
  const growth = async (work: () => Promise<unknown>): Promise<number> => {
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    let highest = before;
    const timer = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 10);
    await work();
    clearInterval(timer);
    return highest - before;
  };
  const CHUNK = Buffer.alloc(64 * 1024, "x");

  test.each([
    ["a body of 1 GiB", "HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n", "success", 200],
    ["headers without end", "HTTP/1.1 200 OK\r\nx: ", "answer", null],
    ["a status line without end", "HTTP/1.1 200 ", "answer", null],
  ])("%s", async (_name, head, outcome, statusCode) => {
    const url = await rawServer((socket) => {
      socket.write(head);
      flood(socket, CHUNK);
    });
    const { send } = newSender(5_000);
    await send(url);
    const grown = await growth(async () => {
      const results = await Promise.all(Array.from({ length: 10 }, () => send(url)));
      for (const result of results) {
        expect(result).toMatchObject({ outcome, statusCode });
        expect(result.ms).toBeLessThan(2_000);
      }
    });
    expect(grown).toBeLessThan(50 * MIB);
  });

  test("chunks without end", async () => {
    const url = await rawServer((socket) => {
      socket.write("HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n");
      flood(socket, Buffer.concat([Buffer.from("10000\r\n"), CHUNK, Buffer.from("\r\n")]));
    });
    const { send } = newSender(5_000);
    expect(await send(url)).toMatchObject({ outcome: "refused", statusCode: 500 });
    const grown = await growth(() => Promise.all(Array.from({ length: 10 }, () => send(url))));
    expect(grown).toBeLessThan(50 * MIB);
  });

  test("a gzip bomb stays as it is: 60 MiB in 60 KiB", async () => {
    const subscriber = await newSubscriber();
    const bomb = gzipSync(Buffer.alloc(60 * MIB));
    subscriber.answer = (response) =>
      void response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    const { send } = newSender(5_000);
    await send(subscriber.url());
    const grown = await growth(() =>
      Promise.all(Array.from({ length: 20 }, () => send(subscriber.url()))),
    );
    expect(grown).toBeLessThan(50 * MIB);
  });
});

describe("connections", () => {
  test("are kept and used again", async () => {
    const subscriber = await newSubscriber();
    subscriber.answer = (response) => void response.end("thanks");
    const { send } = newSender();
    for (let i = 0; i < 5; i++) await send(subscriber.url());
    expect(subscriber.connections).toBe(1);
  });

  test("one that the receiver closed meanwhile costs no attempt", async () => {
    const subscriber = await newSubscriber();
    const { send } = newSender();
    await send(subscriber.url());
    // The receiver resets the kept connection in the moment in which it is used again.
    let isFirst = true;
    subscriber.answer = (response) => {
      if (isFirst) response.socket?.destroy();
      else response.end();
      isFirst = false;
    };
    expect(await send(subscriber.url())).toMatchObject({ outcome: "success" });
    expect(subscriber.connections).toBe(2);
  });

  test("a fresh one that is reset is a failure: nobody tries a third time", async () => {
    const subscriber = await newSubscriber();
    subscriber.answer = (response) => void response.socket?.destroy();
    expect(await newSender().send(subscriber.url())).toMatchObject({
      outcome: "connection",
      statusCode: null,
    });
    expect(subscriber.received.length).toBe(1);
  });

  test("nobody listens", async () => {
    const subscriber = await newSubscriber();
    const url = subscriber.url();
    await subscriber.close();
    expect(await newSender().send(url)).toMatchObject({ outcome: "connection", statusCode: null });
  });

  test("are given up by abandon, and the attempt counts as not made", async () => {
    const url = await rawServer(() => {});
    const { send, sender } = newSender(30_000);
    const sent = send(url);
    setImmediate(() => sender.abandon());
    expect(await sent).toMatchObject({ outcome: "abandoned", statusCode: null });
  });
});

describe("certificates", () => {
  test("of an unknown authority are refused", async () => {
    const subscriber = await newSubscriber();
    const { send } = newSender(TIMEOUT_MS, new CertificateAuthority("another").cert);
    expect(await send(subscriber.url())).toMatchObject({ outcome: "tls", statusCode: null });
    expect(subscriber.received).toEqual([]);
  });

  test("of another name are refused", async () => {
    const subscriber = await newSubscriber("hooks.example.com");
    expect(await newSender().send(subscriber.url())).toMatchObject({ outcome: "tls" });
    expect(subscriber.received).toEqual([]);
  });

  test("of the name in the URL are taken, with a dot at its end too", async () => {
    const subscriber = await newSubscriber("localhost");
    const { send } = newSender();
    for (const host of ["localhost", "localhost."]) {
      const { outcome } = await send(`https://${host}:${subscriber.port}/`);
      expect(outcome).toBe("success");
    }
    await eventually("both arrived", () => subscriber.received.length === 2);
  });
});
