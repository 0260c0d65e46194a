// Which requests of a connection are still under way. The parser's errors come outside of any
// request: whoever answers one must wait for the answers before it, for HTTP answers in order, and
// must not answer a second time.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export class OpenExchanges {
  readonly #bySocket = new WeakMap<Duplex, Exchange[]>();

  /** Follows every request of `server` from now on. */
  watch(server: Server): void {
    server.on("request", (request, response) => {
      const known = this.#bySocket.get(request.socket);
      if (known === undefined) {
        this.#bySocket.set(request.socket, [{ request, response }]);
        return;
      }
      // Nearly always all before it are answered.
      if (known.every(isOver)) known.length = 0;
      known.push({ request, response });
    });
  }

  /**
   * For a connection that can bring no more requests: resolves when every whole request on it is
   * answered, to whether the one that broke off was answered as well, as happens when it is refused
   * before its body is there.
   */
  async answered(socket: Duplex): Promise<boolean> {
    const open = this.#open(socket);
    const whole = open.filter(({ request }) => request.complete);
    await Promise.all(whole.map(({ response }) => ended(response)));
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
