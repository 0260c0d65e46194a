// The heads that change in a proposed epoch: they are kept until they are stored account by account, so that
// any process can end what another one began. They are in parts, so that neither a value nor a turn of the
// event loop grows with the number of accounts. Called by the epoch closer.

import type { Database } from "@annals/postgres";
import { type Head, HASH_BYTES } from "@annals/tlog";
import { randomUUID } from "node:crypto";
import { createProposedHeads, getProposedHeads } from "./store/proposed-heads.ts";

const SIZE_BYTES = 8;
const HEADS_IN_PART = 1_000;

/** Says where the heads of a proposal are kept. */
export interface ProposedHeads {
  readonly heads: string | null;
  readonly parts: number;
}

export const NO_HEADS: ProposedHeads = { heads: null, parts: 0 };

/** Keeps heads for a proposal that continues a log of this size. */
export async function keepProposedHeads(
  database: Database,
  log: number,
  size: string,
  changed: readonly Head[],
): Promise<ProposedHeads> {
  if (changed.length === 0) return NO_HEADS;
  const heads = randomUUID();
  const parts = Math.ceil(changed.length / HEADS_IN_PART);
  for (let part = 0; part < parts; part += 1) {
    const some = changed.slice(part * HEADS_IN_PART, (part + 1) * HEADS_IN_PART);
    await database.run(createProposedHeads, [log, size, heads, part, headsBytes(some)]);
  }
  return { heads, parts };
}

/** Yields the heads of a proposal in parts; undefined for one that is gone: another process was first. */
export async function* readProposedHeads(
  database: Database,
  log: number,
  size: string,
  { heads, parts }: ProposedHeads,
): AsyncGenerator<readonly Head[] | undefined> {
  for (let part = 0; heads !== null && part < parts; part += 1) {
    const [row] = await database.run(getProposedHeads, [log, size, heads, part]);
    yield row && readHeads(row.heads);
  }
}

function headsBytes(heads: readonly Head[]): Buffer {
  return Buffer.concat(heads.flatMap(({ chain, root, size }) => [headBytes(chain, size), root]));
}

/** Throws RangeError for other bytes than headsBytes makes. */
function readHeads(bytes: Buffer): Head[] {
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
