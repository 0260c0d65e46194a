// A server whose requests a test answers, bounded by RequestsInFlight. Imported by the tests of edge/.

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type ListenOptions, type Socket } from "node:net";
import { expect, onTestFinished, vi } from "vitest";
import type { InFlightOptions } from "../edge/requests-in-flight.ts";
import { RequestsInFlight } from "../edge/requests-in-flight.ts";

export const TOTAL = 8;
export const SHARE = 2;
export const BYTES = 4 * 1024 * 1024;
export const ANONYMOUS_BYTES = 256 * 1024;
const WINDOW_MS = 600;
const WAIT_MS = 200;

export const NOTHING = {
  requests: 0,
  unadmitted: 0,
  anonymous: 0,
  bytes: 0,
  unread_bytes: 0,
  anonymous_bytes: 0,
  downloads: 0,
  lists: 0,
  verifications: 0,
  head_log: 0,
};

type Exchanged = readonly [IncomingMessage, ServerResponse];

/** A key that was admitted lately is `known <account>`. */
const KNOWN = /^known (.+)$/;

export async function openServer(
  transfers: Partial<InFlightOptions["transfers"]> = {},
  isEnding: InFlightOptions["isEnding"] = () => false,
) {
  const held: Exchanged[] = [];
  const refused: string[] = [];
  const clientErrors: string[] = [];
  const server = createServer((request, response) => {
    request.on("error", () => {});
    held.push([request, response]);
  });
  server.on("clientError", (error: Error & { code?: string }, socket) => {
    clientErrors.push(error.code ?? error.message);
    socket.destroy();
  });
  const some = { total: TOTAL, share: SHARE };
  const inFlight = new RequestsInFlight({
    shares: {
      requests: some,
      unadmitted: { total: TOTAL, share: TOTAL },
      anonymous: some,
      bytes: { total: 4 * BYTES, share: BYTES },
      unread_bytes: { total: 4 * BYTES, share: BYTES },
      anonymous_bytes: { total: 4 * ANONYMOUS_BYTES, share: ANONYMOUS_BYTES },
      downloads: some,
      lists: { ...some, waitMs: WAIT_MS },
      verifications: some,
      head_log: some,
    },
    transfers: {
      minBytesPerSecond: 10_000,
      bodyWindowMs: WINDOW_MS,
      responseWindowMs: WINDOW_MS,
      ...transfers,
    },
    addressOf: ({ headers }) => String(headers["from"]),
    isEnding,
    recognise: ({ headers }) => KNOWN.exec(headers.authorization ?? "")?.[1],
    refuse: (_request, response, error) => {
      response.statusCode = error.kind === "rate_limited" ? 429 : 500;
      response.end();
    },
    metrics: { refused: (reason) => refused.push(reason) },
  });
  inFlight.attach(server);
  const port = await listening(server);
  /** With a key, unless it is undefined. */
  const ask = (from = "a", authorization: string | undefined = "a key", init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}/`, {
      ...init,
      headers: { from, ...(authorization !== "" && { authorization }) },
    });
  const socket = async (text: string): Promise<Socket> => {
    const one = connect(port, "127.0.0.1").on("error", () => {});
    onTestFinished(() => void one.destroy());
    await once(one, "connect");
    one.write(text);
    return one;
  };
  const areHeld = (count: number) => vi.waitFor(() => expect(held).toHaveLength(count));
  const released = () => vi.waitFor(() => expect(inFlight.used()).toStrictEqual(NOTHING), 3_000);
  return { ask, areHeld, clientErrors, held, inFlight, refused, released, socket };
}

/** The head of a request of the address `a`; with a key where `headers` have one. */
export const head = (start: string, ...headers: string[]) =>
  [`${start} HTTP/1.1`, "Host: x", "From: a", ...headers, "\r\n"].join("\r\n");

/** Resolves when the connection is closed, which a paused socket does not see by itself. */
export const closed = (one: Socket) => new Promise((resolve) => one.once("close", resolve));

/** Has a server listen until the test is finished, by default on any port. Resolves to its port. */
export async function listening(
  server: Server,
  options: ListenOptions = { host: "127.0.0.1", port: 0 },
): Promise<number> {
  server.listen(options);
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
