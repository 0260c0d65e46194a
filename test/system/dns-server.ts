// A DNS server of one answer, for a test of what a name's addresses do. It answers every question
// for IPv4 addresses with the same list, as it is at that moment, and every other question with
// nothing.

import { createSocket } from "node:dgram";
import { once } from "node:events";

export interface DnsServer {
  /** `host:port` */
  readonly address: string;
  close(): void;
}

const HEADER_BYTES = 12;
/** Behind the name: type and class. */
const QUESTION_TAIL_BYTES = 5;
const TYPE_A = 1;
/** An answer, recursion available, no error (RFC 1035, 4.1.1). */
const FLAGS = 0x8180;

/** `addresses` may be changed while it runs. */
export async function startDns(addresses: readonly string[]): Promise<DnsServer> {
  const socket = createSocket("udp4");
  socket.on("message", (query, peer) => {
    socket.send(answer(query, addresses), peer.port, peer.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { address: `127.0.0.1:${socket.address().port}`, close: () => void socket.close() };
}

function answer(query: Buffer, addresses: readonly string[]): Buffer {
  const end = query.indexOf(0, HEADER_BYTES) + QUESTION_TAIL_BYTES;
  const shown = query.readUInt16BE(end - 4) === TYPE_A ? addresses : [];
  const header = Buffer.from(query.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(FLAGS, 2);
  for (const [place, count] of [1, shown.length, 0, 0].entries())
    header.writeUInt16BE(count, 4 + 2 * place);
  // A pointer to the name, type A, class IN, a life of 0 s, four bytes.
  const records = shown.map((ip) =>
    Buffer.from([0xc0, HEADER_BYTES, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...ip.split(".").map(Number)]),
  );
  return Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...records]);
}
