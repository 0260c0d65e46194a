// Guarantee: whatever a receiver does, an attempt ends within its deadline, with the outcome that the
// interface names; a redirect is not followed; the certificate must be valid. Oversized responses:
// sender-size.test.ts.

import { inTrace, remoteSpan, startTracing } from "@annals/chassis";
import { systemClock } from "@annals/contract";
import { CertificateAuthority } from "@annals/certificates";
import { eventually } from "@annals/testing";
import { createServer as createTcp, type AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { newSender, newSubscriber, PATIENT_MS, rawServer } from "../testing/receivers.ts";
import { AddressGuard } from "./address-guard.ts";
import { Sender } from "./sender.ts";

/** For what never answers. */
const TIMEOUT_MS = 500;

describe("responses", () => {
  test.each([200, 201, 202, 204, 206, 299])("%i is success", async (status) => {
    const subscriber = await newSubscriber();
    subscriber.answer = (response) => void response.writeHead(status).end();
    expect(await newSender().send(subscriber.url())).toMatchObject({
      outcome: "success",
      statusCode: status,
    });
  });

  test.each([300, 301, 302, 303, 304, 307, 308, 400, 401, 404, 410, 429, 500, 503])(
    "%i is refused, and not followed",
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

  test("101 is refused", async () => {
    const url = await rawServer((socket) =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
    );
    expect(await newSender().send(url)).toMatchObject({ outcome: "refused", statusCode: 101 });
  });

  test("what is not HTTP has no status", async () => {
    const url = await rawServer((socket) => socket.write("hello\r\n\r\n"));
    expect(await newSender().send(url)).toMatchObject({
      outcome: "invalid_response",
      statusCode: null,
    });
  });
});

test("the header traceparent is sent where the operator allows it, and nowhere else", async () => {
  const tracing = await startTracing({ serviceName: "test", otlpEndpoint: "http://127.0.0.1:1" });
  onTestFinished(() => tracing.shutdown());
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const subscriber = await newSubscriber();
  for (const isAllowed of [false, true]) {
    const { send } = newSender(undefined, undefined, isAllowed);
    await inTrace(remoteSpan({ traceId, spanId: "b7ad6b7169203331" }), () =>
      send(subscriber.url()),
    );
    // Of work that is not recorded.
    await send(subscriber.url());
  }
  const headers = subscriber.received.map((each) => String(each.headers["traceparent"]));
  expect(headers.map((each) => each.slice(0, 36))).toStrictEqual([
    "undefined",
    "undefined",
    `00-${traceId}-`,
    "undefined",
  ]);
});

describe("time", () => {
  const late = async (url: string, timeoutMs = TIMEOUT_MS) => {
    const result = await newSender(timeoutMs).send(url);
    expect(result.ms).toBeGreaterThanOrEqual(timeoutMs - 5);
    return result;
  };

  test("a port that accepts and sends nothing: no TLS", async () => {
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
    const message = {
      accountId: "acct_1",
      secret: "whsec_eA==",
      payloadId: "wh_evt_1",
      body: Buffer.from("{}"),
    };
    expect(await sender.send({ ...message, url: "https://example.com/" })).toMatchObject({
      outcome: "timeout",
    });
  });

  test("a body of a byte a second: the slot is free by 10.5 s, with the real deadline", async () => {
    const url = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
      const timer = setInterval(() => socket.write("."), 1_000);
      socket.on("close", () => clearInterval(timer));
    });
    // The status arrived in time, and that is what counts (interface 9.2).
    expect(await late(url, 10_000)).toMatchObject({ outcome: "success", statusCode: 200 });
  });
});

describe("connections", () => {
  test("are reused", async () => {
    const subscriber = await newSubscriber();
    subscriber.answer = (response) => void response.end("thanks");
    const { send } = newSender();
    for (let i = 0; i < 5; i++) await send(subscriber.url());
    expect(subscriber.connections).toBe(1);
  });

  test("one that the receiver closed while it was idle costs no attempt", async () => {
    const subscriber = await newSubscriber();
    const { send } = newSender();
    await send(subscriber.url());
    // The receiver resets the connection at the moment of its reuse.
    let isFirst = true;
    subscriber.answer = (response) => {
      if (isFirst) response.socket?.destroy();
      else response.end();
      isFirst = false;
    };
    expect(await send(subscriber.url())).toMatchObject({ outcome: "success" });
    expect(subscriber.connections).toBe(2);
  });

  test("a new one that is reset fails the attempt", async () => {
    const subscriber = await newSubscriber();
    subscriber.answer = (response) => void response.socket?.destroy();
    expect(await newSender().send(subscriber.url())).toMatchObject({
      outcome: "connection",
      statusCode: null,
    });
    expect(subscriber.received.length).toBe(1);
  });

  test("are refused by a closed port", async () => {
    const subscriber = await newSubscriber();
    const url = subscriber.url();
    await subscriber.close();
    expect(await newSender().send(url)).toMatchObject({ outcome: "connection", statusCode: null });
  });

  test("end by abandon, and the attempt counts as not made", async () => {
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
    const { send } = newSender(PATIENT_MS, (await CertificateAuthority.create("another")).cert);
    expect(await send(subscriber.url())).toMatchObject({ outcome: "tls", statusCode: null });
    expect(subscriber.received).toEqual([]);
  });

  test("of another name are refused", async () => {
    const subscriber = await newSubscriber("hooks.example.com");
    expect(await newSender().send(subscriber.url())).toMatchObject({ outcome: "tls" });
    expect(subscriber.received).toEqual([]);
  });

  test("of the name in the URL are accepted, also with a dot at its end", async () => {
    const subscriber = await newSubscriber("localhost");
    const { send } = newSender();
    for (const host of ["localhost", "localhost."]) {
      const { outcome } = await send(`https://${host}:${subscriber.port}/`);
      expect(outcome).toBe("success");
    }
    await eventually("both arrived", () => subscriber.received.length === 2);
  });
});
