// How gRPC puts one message on a stream: a prefix, then the message. For grpc-unary.ts alone, whose calls
// have one message each way. It must never take half a message, two, or a compressed one.

import { type DescMessage, fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";

/** Before each message: a byte of flags, four of its length. */
export const PREFIX_BYTES = 5;

/** The message behind its prefix. */
export function framed(message: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  bytes[0] = 0;
  bytes.writeUInt32BE(message.length, 1);
  bytes.set(message, PREFIX_BYTES);
  return bytes;
}

/** Bytes of the message, as its prefix has them. `bytes` begins with a whole prefix. */
export function announcedBytes(bytes: Buffer): number {
  return bytes.readUInt32BE(1);
}

/** The one message that `bytes` are. Throws a ConnectError where they are anything else. */
export function messageIn(bytes: Buffer, input: DescMessage) {
  if (bytes.length < PREFIX_BYTES || announcedBytes(bytes) !== bytes.length - PREFIX_BYTES) {
    throw new ConnectError("a unary call carries one whole message", Code.InvalidArgument);
  }
  if (bytes[0] !== 0) {
    throw new ConnectError("the message is compressed, which is not taken", Code.Unimplemented);
  }
  try {
    // A plain view: `bytes` fields shall be Uint8Array, not Buffer.
    const { buffer, byteOffset, length } = bytes.subarray(PREFIX_BYTES);
    return fromBinary(input, new Uint8Array(buffer, byteOffset, length));
  } catch {
    throw new ConnectError("the message cannot be read", Code.InvalidArgument);
  }
}
