// How gRPC puts messages on a stream: before each a prefix. For the server's ends that read a stream
// themselves: grpc-unary.ts, carry-calls-server.ts. It must never take half a message, or a compressed one.

import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { joined } from "../encoded-message.ts";

/** Before each message: a byte of flags, four of its length. */
export const PREFIX_BYTES = 5;

/** The message, of one piece or several, behind its prefix. */
export function framed(...pieces: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat([new Uint8Array(PREFIX_BYTES), ...pieces]);
  bytes.writeUInt32BE(bytes.length - PREFIX_BYTES, 1);
  return bytes;
}

/** Takes a stream in pieces, as they come, and gives its messages. */
export class FrameReader {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** With so many bytes it goes on: those of a prefix, or of a message with its prefix. */
  #wanted = PREFIX_BYTES;

  /** A message of more than `maxBytes` is refused as soon as its prefix is there. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** True where a message has begun and is not there yet. */
  get isWithinMessage(): boolean {
    return this.#bytes > 0;
  }

  /**
   * The messages that `piece` completes. Throws a ConnectError for one that is too large or compressed; what
   * follows it cannot be read.
   */
  read(piece: Buffer): Uint8Array[] {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    const messages: Uint8Array[] = [];
    while (this.#bytes >= this.#wanted) {
      const whole = this.#joined();
      this.#wanted = PREFIX_BYTES + this.#announced(whole);
      if (whole.length < this.#wanted) break;
      const { buffer, byteOffset, length } = whole.subarray(PREFIX_BYTES, this.#wanted);
      // A plain view: `bytes` fields shall be Uint8Array, not Buffer.
      messages.push(new Uint8Array(buffer, byteOffset, length));
      this.#keep(whole.subarray(this.#wanted));
      this.#wanted = PREFIX_BYTES;
    }
    return messages;
  }

  /** A large message comes in hundreds of pieces: they are put together when it is whole, and once. */
  #joined(): Buffer {
    const whole = joined(this.#pieces);
    this.#pieces = [whole];
    return whole;
  }

  #keep(rest: Buffer): void {
    this.#pieces = rest.length > 0 ? [rest] : [];
    this.#bytes = rest.length;
  }

  #announced(bytes: Buffer): number {
    const length = bytes.readUInt32BE(1);
    if (length > this.#maxBytes) {
      throw new ConnectError(
        `the message is larger than ${this.#maxBytes} bytes`,
        Code.ResourceExhausted,
      );
    }
    if (bytes[0] !== 0) {
      throw new ConnectError("the message is compressed, which is not taken", Code.Unimplemented);
    }
    return length;
  }
}

/** Throws a ConnectError where the bytes are no such message. */
export function readMessage<M extends DescMessage>(schema: M, bytes: Uint8Array): MessageShape<M> {
  try {
    return fromBinary(schema, bytes);
  } catch {
    throw new ConnectError("the message cannot be read", Code.InvalidArgument);
  }
}
