// The connections of deliveries, each with a count of all bytes that arrived on it. Called by sender.ts and
// exchange.ts. It counts on the TCP connection below TLS, so nothing that a receiver sends is left
// out: responses before the final one, chunk extensions, trailers, padding of TLS records.

import { Agent, type RequestOptions } from "node:https";
import { connect, type NetConnectOpts } from "node:net";
import type { Duplex } from "node:stream";

const ARRIVED = Symbol("bytes that arrived");

interface Counted {
  readonly [ARRIVED]?: () => number;
}

export class CountingAgent extends Agent {
  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const socket = connect(options as NetConnectOpts);
    const secure = super.createConnection({ ...options, socket } as RequestOptions, callback);
    if (secure) Object.assign(secure, { [ARRIVED]: () => socket.bytesRead } satisfies Counted);
    return secure;
  }
}

/** Bytes that have arrived on a connection of a {@link CountingAgent}, TLS included. */
export function arrivedOn(connection: Duplex): number {
  return (connection as Counted)[ARRIVED]?.() ?? 0;
}
