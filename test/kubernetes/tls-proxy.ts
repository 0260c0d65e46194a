// What stands before Annals where an API server connects to it: TLS on an address of this machine, and
// answers that come late when a test wants it. Started by audit.test.ts. It must never keep a connection open
// whose other end is closed.

import { type CertificateAuthority } from "@annals/certificates";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { createServer } from "node:tls";

export interface TlsProxy {
  readonly port: number;
  /** Milliseconds by which each answer is late. */
  lateMs: number;
  close(): void;
}

/** Listens on all addresses: the one that the API server connects to exists only while the cluster runs. */
export async function openTlsProxy(
  target: URL,
  host: string,
  authority: CertificateAuthority,
): Promise<TlsProxy> {
  const sockets = new Set<Socket>();
  const server = createServer(await authority.issue([host]), (client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const cut = (): void => {
      for (const socket of [client, upstream]) {
        socket.destroy();
        sockets.delete(socket);
      }
    };
    for (const socket of [client, upstream]) sockets.add(socket.on("error", cut).on("close", cut));
    client.on("data", (chunk) => upstream.write(chunk));
    let before = Promise.resolve();
    upstream.on("data", (chunk) => {
      const late = delay(proxy.lateMs);
      before = before.then(() => late).then(() => void client.write(chunk));
    });
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  const proxy: TlsProxy = {
    port: (server.address() as AddressInfo).port,
    lateMs: 0,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return proxy;
}
