// What the two encodings of OTLP have in common (docs/intake.md): each finds the messages of a request in its
// bytes, and reads one of them for itself, so that what is wrong with a record never costs the others.
// Implemented by otlp-json.ts and otlp-protobuf.ts, called by read-otlp.ts and otlp-parts.ts. A
// message that is read must never take more memory than its limits allow.

import type { ReadLimits } from "@annals/event";
import type { Work } from "@annals/contract";
import type { DescField, DescMessage, MessageShape } from "@bufbuild/protobuf";

/** A repeated field of a message, and a field next to it that its elements share. */
export interface Level {
  readonly elements: DescField;
  readonly shared?: DescField | undefined;
  /** Whether elements beyond the maximum are counted, and not a reason to refuse all; and the rest wanted. */
  readonly isOpen?: boolean;
}

/** The bytes of these fields. */
export interface Slices {
  readonly elements: readonly Buffer[];
  readonly shared: Buffer | undefined;
  /** What an open level has beyond its maximum. */
  readonly beyond: Beyond | undefined;
  /** The message of an open level without the two fields, and without what is not known. */
  readonly rest: Buffer;
  /** The first member that the message does not have, as a person finds it in the request. */
  readonly unknown: string | undefined;
}

export interface Beyond {
  readonly count: number;
  /** The bytes from the first of these elements to the end of the last, or of their message. */
  readonly bytes: Buffer;
}

export interface OtlpMessage<T> {
  readonly message: T;
  /** Whether a text or a number is not as the sender has it. */
  readonly isAltered: boolean;
  /** Whether a part that is too large, or cannot be read, is replaced by its size and hash. */
  readonly isReduced: boolean;
  /** What of the limit on values it took. */
  readonly values: number;
}

export interface OtlpEncoding {
  /**
   * Yields after every piece. Throws what the request is refused with, also if there are more than
   * `maxElements`.
   */
  readonly list: (bytes: Buffer, level: Level, maxElements: number) => Work<Slices>;
  /**
   * Reads a message without the fields `except`. Yields within large ones. Throws {@link Rejection}, which
   * names the field at fault.
   */
  readonly read: <D extends DescMessage>(
    schema: D,
    bytes: Buffer,
    limits: ReadLimits,
    except?: readonly DescField[],
  ) => Work<OtlpMessage<MessageShape<D>>>;
  /** A field as a person finds it in a request of this encoding. */
  readonly nameOf: (field: DescField) => string;
}
