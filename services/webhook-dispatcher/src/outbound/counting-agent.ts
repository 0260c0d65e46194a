// The connections of deliveries, each with a count of all bytes that arrived on it. Called by connections.ts
// and exchange.ts. It counts on the TCP connection below TLS, so nothing that a receiver sends is left out:
// responses before the final one, chunk extensions, trailers, padding of TLS records.
//
// TLS begins once TCP is connected. It must never begin earlier: for the second address of a name, Node
// replaces the handle of a TCP socket, and TLS that holds the first one ends the process in native code.

import { Agent, type RequestOptions } from "node:https";
import { connect, type NetConnectOpts } from "node:net";
import type { Duplex } from "node:stream";

const ARRIVED = Symbol("bytes that arrived");

interface Counted {
  readonly [ARRIVED]?: () => number;
}

export interface CountedRequestOptions extends RequestOptions {
  /** Aborted when the request has ended: then a connection that is not established yet is closed. */
  readonly ended: AbortSignal;
  /** Time of one address of the name, in milliseconds: then the next one is tried. */
  readonly autoSelectFamilyAttemptTimeout: number;
}

export class CountingAgent extends Agent {
  /** Calls back when TCP is connected; Node's agent then awaits TLS. */
  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const socket = connect(options as NetConnectOpts);
    const { ended } = options as CountedRequestOptions;
    const abandon = (): void => void socket.destroy(new Error("the request has ended"));
    const fail = (error: Error): void => {
      ended.removeEventListener("abort", abandon);
      // Without a connection there is no stream: Node's agent reads the error first.
      callback?.(error, socket);
    };
    socket.once("error", fail);
    socket.once("connect", () => {
      socket.off("error", fail);
      ended.removeEventListener("abort", abandon);
      const secure = super.createConnection({ ...options, socket } as RequestOptions);
      if (!secure) return;
      Object.assign(secure, { [ARRIVED]: () => socket.bytesRead } satisfies Counted);
      callback?.(null, secure);
    });
    ended.addEventListener("abort", abandon, { once: true });
    return undefined;
  }
}

/** Bytes that have arrived on a connection of a {@link CountingAgent}, TLS included. */
export function arrivedOn(connection: Duplex): number {
  return (connection as Counted)[ARRIVED]?.() ?? 0;
}
