// Messages that are encoded already, so that the client sends their bytes and encodes them no second time.
// Called by transport.ts and by callers with large requests.

import { create, type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";

const WIRE_FORM = Symbol("wire form");

interface Written {
  readonly [WIRE_FORM]?: Uint8Array;
}

/**
 * A request that a client of connectRpc sends as `pieces`, one after the other: wire forms of which each adds
 * members. Its own members are not there to be read. A single piece is kept, not copied.
 */
export function inWireForm<M extends DescMessage>(
  schema: M,
  pieces: readonly Uint8Array[],
): MessageShape<M> {
  return Object.assign(create(schema), { [WIRE_FORM]: joined(pieces) });
}

/** The pieces in one; a single one as it is. */
export function joined<Piece extends Uint8Array>(pieces: readonly Piece[]): Piece | Buffer {
  const [first] = pieces;
  return pieces.length === 1 && first ? first : Buffer.concat(pieces);
}

/** Of any message: what inWireForm was given, or what toBinary makes of it. */
export function wireForm<M extends DescMessage>(schema: M, message: MessageShape<M>): Uint8Array {
  return (message as Written)[WIRE_FORM] ?? toBinary(schema, message);
}
