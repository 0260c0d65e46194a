// What the two encodings of OTLP have in common (docs/intake.md): each finds the messages of a request in its
// bytes, and reads one of them for itself, so that what is wrong with a record never costs the others.
// Implemented by otlp-json.ts and otlp-protobuf.ts, called by v1/intake/read-otlp.ts. A message that is read
// must never take more memory than its limits allow.

import type { ReadLimits } from "@annals/event";
import type { Work } from "@annals/contract";
import type { DescField, DescMessage, MessageShape } from "@bufbuild/protobuf";

/** A repeated field of a message, and a field next to it that its elements share. */
export interface Level {
  readonly elements: DescField;
  readonly shared?: DescField;
}

/** The bytes of these fields. */
export interface Slices {
  readonly elements: readonly Buffer[];
  readonly shared: Buffer | undefined;
}

export interface OtlpMessage<T> {
  readonly message: T;
  /** Whether a text or a number is not as the sender has it. */
  readonly isAltered: boolean;
}

export interface OtlpEncoding {
  /**
   * Yields after every piece. Throws what the request is refused with, also if there are more than
   * `maxElements`.
   */
  readonly list: (bytes: Buffer, level: Level, maxElements: number) => Work<Slices>;
  /** Throws {@link Rejection}. */
  readonly read: <D extends DescMessage>(
    schema: D,
    bytes: Buffer,
    limits: ReadLimits,
  ) => OtlpMessage<MessageShape<D>>;
}
