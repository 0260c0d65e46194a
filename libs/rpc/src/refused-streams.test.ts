// Guarantee: a request that is refused before it was read to its end, however large, gets its status, frees
// its stream of the connection, and does not delay a drain.

import { constants, type ClientHttp2Session, type IncomingHttpHeaders } from "node:http2";
import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { echo, Opened } from "./testing/test-ledger.ts";
import { connectBare } from "./testing/test-tls.ts";

const opened = new Opened();
afterEach(() => opened.closeAll());

const GET_EVENT = "/annals.ledger.v1.LedgerService/GetEvent";
const LARGE = Buffer.alloc(128 * 1024);
const MAX_MESSAGE_BYTES = 64 * 1024;
/** Concurrent streams of a connection: less than the calls below. */
const MAX_STREAMS = 1_000;
/** A wait of this length does not end within the time of a test. */
const NEVER_MS = 3_600_000;
const RESOURCE_EXHAUSTED = "8";

/**
 * Sends a head and a part of what the head announces, and never ends; resolves to the answer's last
 * headers.
 */
async function neverEnding(
  session: ClientHttp2Session,
  headers: { readonly ":path": string; readonly "content-type": string },
): Promise<IncomingHttpHeaders> {
  const stream = session.request({ ":method": "POST", te: "trailers", ...headers });
  let last: IncomingHttpHeaders = {};
  stream.on("response", (received) => (last = received));
  stream.on("trailers", (received) => (last = received));
  stream.on("error", () => {});
  stream.resume();
  // A gRPC frame that announces 4 GiB - 1.
  stream.write(Buffer.concat([Buffer.from([0, 255, 255, 255, 255]), LARGE]));
  await once(stream, "close");
  expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  return last;
}

it("over gRPC, Connect and to an unknown method, more often than a connection has streams", async () => {
  const server = await opened.server(echo, { maxMessageBytes: MAX_MESSAGE_BYTES });
  const session = connectBare(server.address);
  opened.add(() => session.destroy());
  const grpc = { ":path": GET_EVENT, "content-type": "application/grpc" };
  for (let sent = 0; sent <= MAX_STREAMS; sent += 8) {
    const answers = await Promise.all(Array.from({ length: 8 }, () => neverEnding(session, grpc)));
    for (const answer of answers) expect(answer["grpc-status"]).toBe(RESOURCE_EXHAUSTED);
  }
  const json = { ":path": GET_EVENT, "content-type": "application/json" };
  expect(await neverEnding(session, json)).toMatchObject({ ":status": 429 });
  const unknown = { ":path": "/annals.none.v1.None/Nothing", "content-type": "application/grpc" };
  expect(await neverEnding(session, unknown)).toMatchObject({ ":status": 404 });

  const { client } = opened.client(server.address);
  expect((await client.getEvent({ id: "alive" })).event?.id).toBe("alive");
  await server.close({ graceMs: NEVER_MS });
});
