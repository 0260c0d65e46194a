// The length-prefixed message of gRPC: one out, one in. Called by unary-calls.ts. It must never buffer more
// than one message of the allowed size, nor accept a compressed one.

import { Code, ConnectError } from "@connectrpc/connect";

/** A byte of flags, then four of the message's length. */
const PREFIX_BYTES = 5;

export function frame(message: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  bytes[0] = 0;
  bytes.writeUInt32BE(message.length, 1);
  bytes.set(message, PREFIX_BYTES);
  return bytes;
}

/** Collects the one message of a unary request. */
export class MessageReader {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Bytes of the message with its prefix; undefined until the prefix has arrived. */
  #expected: number | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Throws a ConnectError as soon as the message is known to be too large, compressed, or not the only one.
   */
  add(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#expected === undefined && this.#bytes >= PREFIX_BYTES) {
      this.#expected = PREFIX_BYTES + this.#length(this.#joined());
    }
    if (this.#expected !== undefined && this.#bytes > this.#expected) throw notOneMessage();
  }

  get isWhole(): boolean {
    return this.#bytes === this.#expected;
  }

  /** Called when it is whole, or at the end of the request. Throws a ConnectError unless it is whole. */
  message(): Uint8Array {
    if (!this.isWhole) throw notOneMessage();
    const { buffer, byteOffset, length } = this.#joined();
    // A plain view: `bytes` fields are Uint8Array, not Buffer.
    return new Uint8Array(buffer, byteOffset + PREFIX_BYTES, length - PREFIX_BYTES);
  }

  /**
   * A large message arrives in hundreds of pieces: they are joined at its prefix and at its end only.
   */
  #joined(): Buffer {
    const [first] = this.#pieces;
    const all = this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces);
    this.#pieces = [all];
    return all;
  }

  #length(bytes: Buffer): number {
    const length = bytes.readUInt32BE(1);
    if (length > this.#maxBytes) {
      throw new ConnectError(
        `the message is larger than ${this.#maxBytes} bytes`,
        Code.ResourceExhausted,
      );
    }
    if (bytes[0] !== 0) {
      throw new ConnectError("compressed messages are not accepted", Code.Unimplemented);
    }
    return length;
  }
}

function notOneMessage(): ConnectError {
  return new ConnectError("a unary call carries exactly one message", Code.InvalidArgument);
}
