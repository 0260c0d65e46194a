// A name server of a test, over UDP on the loopback interface (RFC 1035): it answers as the test says, or
// stays silent. Imported by tests only.

import { createSocket } from "node:dgram";
import { onTestFinished } from "vitest";

/** Addresses (IPv4) of a name, or the name that it stands for; undefined: no answer at all. */
export type DnsAnswer =
  | { readonly addresses: readonly string[] }
  | { readonly alias: string; readonly addresses: readonly string[] }
  | "unknown"
  | undefined;

const TYPE = { A: 1, CNAME: 5 } as const;
const HEADER_BYTES = 12;
const NAME_ERROR = 3;

export async function newDnsServer(answer: (name: string) => DnsAnswer) {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  socket.on("message", (query, { address, port }) => {
    const { name, type, end } = questionOf(query);
    asked.push(name);
    const given = answer(name);
    if (given === undefined) return;
    const records: Buffer[] = [];
    if (given !== "unknown" && "alias" in given) {
      records.push(record(name, TYPE.CNAME, encoded(given.alias)));
    }
    if (given !== "unknown" && type === TYPE.A) {
      const owner = "alias" in given ? given.alias : name;
      for (const one of given.addresses) {
        records.push(record(owner, TYPE.A, Buffer.from(one.split(".").map(Number))));
      }
    }
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    header.writeUInt16BE(0x8180 | (given === "unknown" ? NAME_ERROR : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    socket.send(
      Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...records]),
      port,
      address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  onTestFinished(() => void socket.close());
  return { asked, servers: [`127.0.0.1:${socket.address().port}`] };
}

function questionOf(query: Buffer) {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function encoded(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.from(`\0${label}`, "latin1"));
  for (const label of labels) label[0] = label.length - 1;
  return Buffer.concat([...labels, Buffer.alloc(1)]);
}

/** Of the class IN, with a time to live of 0. */
function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encoded(name), fixed, data]);
}
