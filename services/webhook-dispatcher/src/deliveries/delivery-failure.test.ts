// Guarantee: the record of a delivery tells a bad certificate, a refused connection, a receiver that is too
// slow, and a response that is no success apart. It says the same of a name without an address, with a
// private one, and of one that is not resolved in time.

import { systemClock } from "@annals/contract";
import { expect, onTestFinished, test } from "vitest";
import { authority, newSender, newSubscriber, rawServer } from "../testing/receivers.ts";
import { AddressGuard, type Resolve } from "../outbound/address-guard.ts";
import { deliveryFailure } from "./delivery-failure.ts";
import { Sender } from "../outbound/sender.ts";

/** For what never answers. */
const TIMEOUT_MS = 500;

const failureAt = async (url: string, timeoutMs?: number) =>
  deliveryFailure(await newSender(timeoutMs).send(url));

test("a success has none, and another status is one", async () => {
  const subscriber = await newSubscriber();
  expect(await failureAt(subscriber.url())).toBeNull();
  subscriber.answer = (response) => void response.writeHead(500).end();
  expect(await failureAt(subscriber.url())).toBe("status");
});

test("a certificate of another name", async () => {
  const subscriber = await newSubscriber("hooks.example.com");
  expect(await failureAt(subscriber.url())).toBe("tls");
});

test("a port that is closed, and a connection that breaks", async () => {
  const subscriber = await newSubscriber();
  subscriber.answer = (response) => void response.socket?.destroy();
  expect(await failureAt(subscriber.url())).toBe("connection");
  const url = subscriber.url();
  await subscriber.close();
  expect(await failureAt(url)).toBe("connection");
});

test("a receiver that does not respond, on a new connection and on one that is used again", async () => {
  const subscriber = await newSubscriber("localhost");
  const { send } = newSender(TIMEOUT_MS * 4);
  const url = `https://localhost:${subscriber.port}/`;
  expect(deliveryFailure(await send(url))).toBeNull();
  subscriber.answer = () => {};
  expect(deliveryFailure(await send(url))).toBe("timeout");
  expect(subscriber.connections).toBe(1);
  expect(await failureAt(await rawServer(() => {}), TIMEOUT_MS)).toBe("timeout");
});

test("what is not HTTP", async () => {
  const url = await rawServer((socket) => socket.write("hello\r\n\r\n"));
  expect(await failureAt(url)).toBe("response");
});

const failed = (code: string) => async () => {
  throw Object.assign(new Error(code), { code });
};

test.each<readonly [string, Resolve]>([
  ["has a private address", async () => [{ address: "10.0.0.1", family: 4 }]],
  ["has no address", failed("ENOTFOUND")],
  ["has no address of either family", failed("ENODATA")],
  ["has a name server that fails", failed("ESERVFAIL")],
  ["has a name server that refuses", failed("EREFUSED")],
  ["is not resolved in time, as the resolver says", failed("ETIMEOUT")],
  ["is not resolved in time", () => new Promise(() => {})],
])("a name that %s looks the same", async (_, resolve) => {
  const sender = new Sender({
    guard: new AddressGuard({ resolve, allowPrivateAddresses: false }),
    clock: systemClock(),
    timeoutMs: TIMEOUT_MS,
    extraAuthorities: authority.cert,
  });
  onTestFinished(() => sender.close());
  const message = { accountId: "acct_1", secret: "whsec_eA==", payloadId: "wh_evt_1" };
  const url = "https://hooks.example.com/";
  const result = await sender.send({ ...message, url, body: Buffer.from("{}") });
  expect(deliveryFailure(result)).toBe("address");
});
