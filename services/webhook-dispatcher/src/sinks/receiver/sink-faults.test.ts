// Guarantee: whatever the receiver of a sink does, its batch ends by the deadline, reads a bounded part of
// the response, and is accepted only if the receiver has said so. The error has no secret.

import { trustedContext } from "@annals/chassis";
import type { SinkConfig, SinkType } from "@annals/interface";
import { createServer as createTcp, type AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { flood, newSubscriber, rawServer } from "../../testing/receivers.ts";
import { newReceiver, sendBatch, sinkRecords } from "../../testing/sink-receivers.ts";
import { AddressGuard } from "../../outbound/address-guard.ts";

const TIMEOUT_MS = 400;
const RECORDS = sinkRecords(1, 3);
const SECRET = "s3cr3t-t0ken";
const HEADERS = { authorization: `Bearer ${SECRET}` };
const MAX_SENT = 16 * 1024 * 1024;

/** Those with a receiver that sends by SinkHttp. */
type HttpType = Exclude<SinkType, "s3" | "syslog">;
type Variant = HttpType | "http with elastic" | "splunk_hec with ack";

const CONFIGS: Readonly<Record<Variant, (url: string) => SinkConfig>> = {
  http: (url) => ({ type: "http", url, headers: HEADERS, body: "jsonl", compress: true }),
  "http with elastic": (url) => ({
    type: "http",
    url,
    headers: HEADERS,
    body: "elastic",
    compress: false,
  }),
  splunk_hec: (url) => ({ type: "splunk_hec", url, token: SECRET, ack: false }),
  "splunk_hec with ack": (url) => ({ type: "splunk_hec", url, token: SECRET, ack: true }),
  otlp_http: (url) => ({ type: "otlp_http", url, headers: HEADERS }),
  azure_event_hubs: (url) => ({
    type: "azure_event_hubs",
    url,
    event_hub: "audit",
    shared_access_key_name: "send",
    shared_access_key: SECRET,
  }),
};

/** Types for which a status 2xx is enough, whatever the body is. */
const BY_STATUS = new Set(["http", "splunk_hec"]);

describe.each(Object.entries(CONFIGS))("%s: a receiver that", (type, config) => {
  const sent = async (url: string, timeoutMs = TIMEOUT_MS) => {
    const result = await sendBatch(newReceiver(config(url), { timeoutMs }), RECORDS);
    expect(JSON.stringify(result)).not.toContain(SECRET);
    return result;
  };

  test("accepts a connection and says nothing", async () => {
    const server = createTcp(() => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    expect(await sent(`https://127.0.0.1:${port}/`)).toMatchObject({
      outcome: "timeout",
      error: expect.stringContaining("did not respond within"),
    });
  });

  test("reads and never answers", async () => {
    expect(await sent(await rawServer(() => {}))).toMatchObject({ outcome: "timeout" });
  });

  test("drips its headers", async () => {
    const url = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nx: ");
      const timer = setInterval(() => socket.write("y"), 20);
      socket.on("close", () => clearInterval(timer));
    });
    expect(await sent(url)).toMatchObject({ outcome: "timeout" });
  });

  test("drips its body", async () => {
    const url = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
      const timer = setInterval(() => socket.write(" "), 20);
      socket.on("close", () => clearInterval(timer));
    });
    const { outcome } = await sent(url);
    expect(outcome === "accepted").toBe(BY_STATUS.has(type));
  });

  test.each([
    ["an endless body", "HTTP/1.1 200 OK\r\n\r\n", " ".repeat(1_000)],
    [
      "endless chunk extensions",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;",
      "a".repeat(1_000),
    ],
  ])("sends %s", async (_name, head, piece) => {
    let written = 0;
    const url = await rawServer((socket) => {
      socket.write(head);
      flood(socket, Buffer.from(piece.repeat(64)), { onWrite: (bytes) => (written += bytes) });
    });
    const { outcome } = await sent(url, 10_000);
    expect(outcome === "accepted").toBe(BY_STATUS.has(type));
    expect(written).toBeLessThan(MAX_SENT);
  });

  test("sends endless responses of status 1xx", async () => {
    const url = await rawServer((socket) =>
      flood(socket, Buffer.from("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1_000))),
    );
    expect(await sent(url, 10_000)).toMatchObject({ outcome: "invalid_response" });
  });

  test("speaks another protocol", async () => {
    const url = await rawServer((socket) => socket.write("hello\r\n\r\n"));
    expect(await sent(url)).toMatchObject({ outcome: "invalid_response" });
  });

  test("is not there", async () => {
    const subscriber = await newSubscriber();
    const url = subscriber.url("");
    await subscriber.close();
    expect(await sent(url)).toMatchObject({
      outcome: "connection",
      error: "The connection failed (ECONNREFUSED).",
    });
  });

  test("has a certificate of an unknown authority", async () => {
    const subscriber = await newSubscriber();
    const receiver = newReceiver(config(subscriber.url("")), {
      secureContext: trustedContext(undefined),
    });
    expect(await sendBatch(receiver, RECORDS)).toMatchObject({
      outcome: "tls",
      error: expect.stringContaining("does not prove its name"),
    });
    expect(subscriber.received).toEqual([]);
  });

  test("has a private address, said as of a name that is unknown", async () => {
    const guards = ["10.0.0.1", undefined].map(
      (address) =>
        new AddressGuard({
          allowPrivateAddresses: false,
          resolve: async () => {
            if (address !== undefined) return [{ address, family: 4 }];
            throw Object.assign(new Error("unknown"), { code: "ENOTFOUND" });
          },
        }),
    );
    const [of, unknown] = await Promise.all(
      guards.map((guard) =>
        sendBatch(newReceiver(config("https://siem.example.com/"), { guard }), RECORDS),
      ),
    );
    expect(of?.outcome).toBe("address");
    expect(unknown?.outcome).toBe("connection");
    expect(of?.error).toBe(unknown?.error);
  });

  test("is left when the service stops", async () => {
    const url = await rawServer(() => {});
    const stopping = new AbortController();
    const sending = sendBatch(newReceiver(config(url)), RECORDS, {}, stopping.signal);
    setImmediate(() => stopping.abort());
    expect(await sending).toMatchObject({ outcome: "abandoned" });
  });
});
