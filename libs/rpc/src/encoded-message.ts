// Messages in protobuf's wire form that are large, and need not be written anew where they are sent: those
// that somebody has written already, and those that stand inside another message.
//
// For time and memory: toBinary writes into a buffer that it doubles and clears until all has room, and
// copies it at the end, each time (docs/performance.md).

import {
  create,
  type DescField,
  type DescMessage,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

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

/** A field of type `bytes`, in pieces: behind the wire form of a message it is one of its members. */
export function bytesField({ number }: DescField, value: Uint8Array): readonly Uint8Array[] {
  const tag = new BinaryWriter().tag(number, WireType.LengthDelimited).uint32(value.length);
  return [tag.finish(), value];
}
