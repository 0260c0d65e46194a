// A TCP proxy before a server that passes, holds back or cuts the traffic as a test chooses. Imported by
// tests only. It must leave no socket behind when it is closed.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * What becomes of a chunk that a client sends, and of its connection. `drop`: the server does not get the
 * chunk. Else the server gets it: with `hold` no answer comes back, with `cut` both ends are cut in place of
 * the answer, with `close` and `reset` as soon as the chunk was written.
 */
export type Fate = "pass" | "drop" | "hold" | "cut" | "close" | "reset";

export interface Proxy {
  /** Of the same server, through the proxy. */
  readonly url: string;
  /** Called with every chunk that a client sends, until its connection has another fate than `pass`. */
  onRequest: (chunk: Buffer, client: Socket) => Fate;
  /** Called with every chunk of the server's; the client gets what it returns, in one piece. */
  onAnswer: (chunk: Buffer, client: Socket) => Buffer;
  /** Cuts every connection, as a server that shuts down. */
  cutAll(): void;
  close(): void;
}

export async function openProxy(serverUrl: string): Promise<Proxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let fate: Fate = "pass";
    const cut = (): void => {
      for (const socket of [client, upstream]) {
        if (fate === "reset") socket.resetAndDestroy();
        else socket.destroy();
        sockets.delete(socket);
      }
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay(true));
      socket.on("error", cut).on("close", cut);
    }
    client.on("data", (chunk) => {
      if (fate === "pass") fate = proxy.onRequest(chunk, client);
      if (fate === "drop") fate = "pass";
      else upstream.write(chunk, () => (fate === "close" || fate === "reset") && cut());
    });
    upstream.on("data", (chunk) => {
      if (fate === "pass") client.write(proxy.onAnswer(chunk, client));
      else if (fate === "cut") cut();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cutAll = (): void => sockets.forEach((socket) => socket.destroy());
  const proxy: Proxy = {
    url: url.href.replace(/\/$/, ""),
    onRequest: () => "pass",
    onAnswer: (chunk) => chunk,
    cutAll,
    close: () => {
      cutAll();
      server.close();
    },
  };
  return proxy;
}
