// Receivers that send without end, or hardly at all. Called in the process of attack-child.ts.

import { rename, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer as createTcp, type Server } from "node:net";
import { createServer as createTls, type TLSSocket } from "node:tls";

export interface ReceiversTarget {
  /** Where the ports are written once all listen: JSON. */
  readonly portsFile: string;
  readonly cert: string;
  readonly key: string;
}

interface Hostile {
  readonly head: string;
  /** Sent without end, as fast as it is read; or each second where it drips. */
  readonly piece: string;
  readonly drips?: true;
}

const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
const HOSTILE: Readonly<Record<string, Hostile>> = {
  "endless 103": { head: "", piece: "HTTP/1.1 103 Early Hints\r\n\r\n" },
  "chunk extensions": { head: CHUNKED, piece: `1;${"a".repeat(1_000)}\r\nx\r\n` },
  trailers: { head: `${CHUNKED}0\r\n`, piece: `x-t: ${"y".repeat(500)}\r\n` },
  headers: { head: "HTTP/1.1 200 OK\r\n", piece: `x-h: ${"y".repeat(500)}\r\n` },
  "endless body": { head: "HTTP/1.1 200 OK\r\n\r\n", piece: "y".repeat(1_000) },
  "a byte a second": { head: "HTTP/1.1 200 OK\r\n", piece: "y", drips: true },
};

/** Goes on until the process ends. */
export async function attack({ cert, key, portsFile }: ReceiversTarget): Promise<void> {
  const servers = [
    ...Object.values(HOSTILE).map((kind) =>
      createTls({ cert, key }, (socket) => serve(socket, kind)),
    ),
    // A handshake that never begins.
    createTcp((socket) => void socket.on("error", () => {})),
  ];
  const ports = await Promise.all(servers.map(listening));
  // Whole or not there.
  await writeFile(`${portsFile}.new`, JSON.stringify(ports));
  await rename(`${portsFile}.new`, portsFile);
}

function listening(server: Server): Promise<number> {
  server.on("tlsClientError", () => {});
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

function serve(socket: TLSSocket, { drips, head, piece }: Hostile): void {
  socket.on("error", () => {});
  socket.once("data", () => {
    socket.write(head);
    if (drips) {
      const timer = setInterval(() => socket.write(piece), 1_000);
      socket.on("close", () => clearInterval(timer));
      return;
    }
    const chunk = Buffer.from(piece.repeat(Math.ceil((64 * 1024) / piece.length)));
    let isOpen = true;
    socket.on("close", () => (isOpen = false));
    const more = (): void => {
      while (isOpen && socket.write(chunk));
    };
    socket.on("drain", more);
    more();
  });
}
