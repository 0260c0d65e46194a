// Tracks which requests of a connection are still in flight. Used by client-error.ts. The parser's errors
// belong to no request: the response to one must wait for the responses before it, for HTTP responses keep
// the order, and a request must never get two responses.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export class OpenExchanges {
  readonly #bySocket = new WeakMap<Duplex, Exchange[]>();

  /** Tracks every request of `server` from now on. */
  watch(server: Server): void {
    server.on("request", (request, response) => {
      const known = this.#bySocket.get(request.socket);
      if (known === undefined) {
        this.#bySocket.set(request.socket, [{ request, response }]);
        return;
      }
      // Nearly always all earlier ones have their responses.
      if (known.every(isOver)) known.length = 0;
      known.push({ request, response });
    });
  }

  /**
   * For a connection that can send no more requests. Resolves when every complete request on it has its
   * response, to whether the incomplete one got a response too, which happens when it is refused before its
   * body.
   */
  async responded(socket: Duplex): Promise<boolean> {
    const open = this.#open(socket);
    const complete = open.filter(({ request }) => request.complete);
    await Promise.all(complete.map(({ response }) => ended(response)));
    return open.some(({ request, response }) => !request.complete && response.headersSent);
  }

  #open(socket: Duplex): Exchange[] {
    return (this.#bySocket.get(socket) ?? []).filter((exchange) => !isOver(exchange));
  }
}

function isOver({ request, response }: Exchange): boolean {
  return request.complete && response.writableFinished;
}

async function ended(response: ServerResponse): Promise<void> {
  if (response.writableFinished || response.destroyed) return;
  await new Promise<void>((resolve) => {
    response.once("finish", resolve);
    response.once("close", resolve);
  });
}
