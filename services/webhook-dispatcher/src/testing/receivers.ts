// The fixtures of the sender's tests: a sender that trusts the test authority and may connect to the loopback
// interface, and servers that misbehave as the test wants. Imported by tests only.

import { systemClock } from "@annals/contract";
import { CertificateAuthority } from "@annals/certificates";
import { Subscriber } from "@annals/testing";
import type { AddressInfo } from "node:net";
import { createServer as createTls } from "node:tls";
import { onTestFinished } from "vitest";
import { AddressGuard } from "../outbound/address-guard.ts";
import { dnsLookUp, withSystemNames } from "../outbound/look-up.ts";
import { Sender } from "../outbound/sender.ts";

/** Far more than any response takes, also on a busy machine. */
export const PATIENT_MS = 5_000;
export const authority = await CertificateAuthority.create();
const lookUp = withSystemNames(dnsLookUp(), () => true);
export const guard = new AddressGuard({
  resolve: (hostname, accountId) => lookUp(hostname, accountId, performance.now() + PATIENT_MS),
  allowPrivateAddresses: true,
});

export function newSender(
  timeoutMs = PATIENT_MS,
  extraAuthorities: string | undefined = authority.cert,
  sendsTraceparent = false,
) {
  const clock = systemClock();
  const sender = new Sender({ guard, clock, timeoutMs, extraAuthorities, sendsTraceparent });
  onTestFinished(() => sender.close());
  const send = async (url: string) => {
    const started = performance.now();
    const message = {
      accountId: "acct_1",
      url,
      secret: "whsec_eA==",
      payloadId: "wh_evt_1",
      body: Buffer.from("{}"),
    };
    const result = await sender.send(message);
    return { ...result, ms: performance.now() - started };
  };
  return { sender, send };
}

export async function newSubscriber(...hosts: string[]): Promise<Subscriber> {
  const subscriber = await Subscriber.start(authority, ...hosts);
  onTestFinished(() => subscriber.close());
  return subscriber;
}

/** A TLS server that calls `write` for each connection once it has received something. */
export async function rawServer(write: (socket: NodeJS.WritableStream) => void): Promise<string> {
  const server = createTls(await authority.issue(["127.0.0.1"]), (socket) => {
    socket.on("error", () => {});
    socket.once("data", () => write(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Writes the chunk as fast as it is read, `times` or until the connection closes; then `last`. */
export function flood(
  socket: NodeJS.WritableStream,
  chunk: Buffer,
  {
    last = "",
    onWrite = () => {},
    times = Infinity,
  }: {
    readonly last?: string;
    readonly onWrite?: (bytes: number) => void;
    readonly times?: number;
  } = {},
): void {
  let left = times;
  socket.on("close", () => (left = 0));
  const more = (): void => {
    while (left > 0) {
      left -= 1;
      const isRead = socket.write(chunk);
      onWrite(chunk.length);
      if (left === 0) socket.write(last);
      if (!isRead) return;
    }
  };
  socket.on("drain", more);
  more();
}
