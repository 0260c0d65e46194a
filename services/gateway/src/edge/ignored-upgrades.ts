// Ignores requests to upgrade the connection (RFC 9110, 7.8): each is responded to over HTTP/1.1, and the
// connection stays open. Called by app.ts. Java's client asks for h2c with its requests. Node's parser stops
// at such a request, and drops what came behind it in the same packet. So it is parsed once more, without the
// header. It must never change where a request ends.

import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { EarlyResponses } from "./early-response.ts";
import type { RequestsInFlight } from "./requests-in-flight.ts";

const UPGRADE = "upgrade";

export interface IgnoreUpgradesOptions {
  readonly earlyResponses: Pick<EarlyResponses, "isEnding">;
  readonly inFlight: Pick<RequestsInFlight, "allResponded">;
}

export function ignoreUpgrades(
  server: Server,
  { earlyResponses, inFlight }: IgnoreUpgradesOptions,
): void {
  const parseAgain = async (
    request: IncomingMessage,
    socket: Duplex,
    rest: Buffer,
  ): Promise<void> => {
    // Node has removed its own listeners from this socket; without one a reset would end the process.
    const onError = (): void => void socket.destroy();
    socket.on("error", onError);
    // Responses keep the order of their requests.
    await inFlight.allResponded(socket);
    if (socket.destroyed || !socket.writable || earlyResponses.isEnding(socket)) return;
    socket.off("error", onError);
    socket.unshift(Buffer.concat([headOf(request), rest]));
    server.emit("connection", socket);
  };
  server.on(UPGRADE, (request, socket, rest) => void parseAgain(request, socket, rest));
}

/** The parser has checked each part of it. It reads texts as Latin-1. */
function headOf({ httpVersion, method, rawHeaders, url }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  // Names and values alternate.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.toLowerCase() !== UPGRADE) lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}
