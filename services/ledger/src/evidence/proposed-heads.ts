// The heads that change in a proposed epoch, as bytes: they are kept with the proposal until they are stored
// account by account, so that any process can end what another one began. Called by the epoch closer.

import { type Head, HASH_BYTES } from "@annals/tlog";

const SIZE_BYTES = 8;

export function headsBytes(heads: readonly Head[]): Buffer {
  return Buffer.concat(heads.flatMap(({ chain, root, size }) => [headBytes(chain, size), root]));
}

/** Throws RangeError for other bytes than headsBytes makes. */
export function readHeads(bytes: Buffer): Head[] {
  const heads: Head[] = [];
  for (let at = 0; at < bytes.length;) {
    const id = at + 1;
    const size = id + bytes.readUInt8(at);
    const root = size + SIZE_BYTES;
    heads.push({
      chain: bytes.toString("utf8", id, size),
      size: Number(bytes.readBigUInt64BE(size)),
      root: bytes.subarray(root, root + HASH_BYTES),
    });
    at = root + HASH_BYTES;
  }
  if (heads.some(({ root }) => root.length !== HASH_BYTES))
    throw new RangeError("a head is cut off");
  return heads;
}

function headBytes(chain: string, size: number): Buffer {
  const id = Buffer.from(chain);
  const bytes = Buffer.alloc(1 + id.length + SIZE_BYTES);
  bytes.writeUInt8(id.length);
  bytes.set(id, 1);
  bytes.writeBigUInt64BE(BigInt(size), 1 + id.length);
  return bytes;
}
