// A TCP proxy before a server that passes, holds back or cuts the traffic as a test chooses. Imported by
// tests only.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Proxy {
  /** Of the same server, through the proxy. */
  readonly url: string;
  /**
   * Called with every chunk that a client sends; where it answers `cut` the server gets the chunk
   * and both ends are cut before any answer, where `hold` the server gets it and no answer comes
   * back.
   */
  onRequest: (chunk: Buffer) => "pass" | "cut" | "hold";
  /** Called with every chunk of the server's; the client gets what it returns, in one piece. */
  onAnswer: (chunk: Buffer) => Buffer;
  /** Cuts every connection, as a server that shuts down. */
  cutAll(): void;
  close(): void;
}

export async function openProxy(serverUrl: string): Promise<Proxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let fate: "pass" | "cut" | "hold" = "pass";
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", cut).on("close", cut);
    }
    client.on("data", (chunk) => {
      if (fate === "pass") fate = proxy.onRequest(chunk);
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (fate === "pass") client.write(proxy.onAnswer(chunk));
      else if (fate === "cut") cut();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cutAll = (): void => sockets.forEach((socket) => socket.destroy());
  const proxy: Proxy = {
    url: url.href,
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
