// Reads DER, the encoding of time stamps and certificates: a tag, a length, and contents that may be further
// elements. Called by time-stamp.ts, and by annals-verify for the signature of a time stamp. Lengths are
// checked against the bytes, and nesting is bounded by what is asked for.

export interface Der {
  readonly tag: number;
  /** Contents without tag and length. */
  readonly contents: Buffer;
  /** All bytes of the element. */
  readonly bytes: Buffer;
}

export const DER_TAG = {
  integer: 0x02,
  octetString: 0x04,
  oid: 0x06,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** Context-specific and constructed. */
  context0: 0xa0,
  context1: 0xa1,
  context3: 0xa3,
} as const;

/** Elements of one sequence. */
const MAX_ELEMENTS = 1_000;
const LONG_LENGTH = 0x80;
const MAX_LENGTH_BYTES = 4;

/** What is wrong with a time stamp, as a verb and what follows. Its message quotes nothing of it. */
export class TimeStampFault extends Error {
  override readonly name = "TimeStampFault";
}

/** The elements that follow each other in these bytes. Throws TimeStampFault. */
export function elementsIn(bytes: Buffer): Der[] {
  const elements: Der[] = [];
  for (let at = 0; at < bytes.length;) {
    const element = elementAt(bytes, at);
    if (elements.length === MAX_ELEMENTS) throw new TimeStampFault("has too many elements");
    elements.push(element);
    at += element.bytes.length;
  }
  return elements;
}

/** The elements within the element, which must have this tag. Throws TimeStampFault. */
export function within(element: Der | undefined, tag: number): Der[] {
  return elementsIn(expectTag(element, tag).contents);
}

/** Throws TimeStampFault. */
export function expectTag(element: Der | undefined, tag: number): Der {
  if (element?.tag !== tag) throw new TimeStampFault("has another element than expected");
  return element;
}

/** An object identifier as digits and dots. Throws TimeStampFault. */
export function oidOf(element: Der | undefined): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of expectTag(element, DER_TAG.oid).contents) {
    arc = arc * 128 + (byte & 0x7f);
    if (!Number.isSafeInteger(arc)) throw new TimeStampFault("has a number that is too large");
    if (byte >= LONG_LENGTH) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first = 0, ...rest] = arcs;
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - 40 * top, ...rest].join(".");
}

function elementAt(bytes: Buffer, from: number): Der {
  const tag = bytes[from];
  const short = bytes[from + 1];
  if (tag === undefined || short === undefined) throw new TimeStampFault("was cut off");
  const lengthBytes = short >= LONG_LENGTH ? short - LONG_LENGTH : 0;
  const start = from + 2 + lengthBytes;
  if (lengthBytes > MAX_LENGTH_BYTES || short === LONG_LENGTH || start > bytes.length)
    throw new TimeStampFault("has a length that is not DER");
  const length = lengthBytes === 0 ? short : bytes.readUIntBE(from + 2, lengthBytes);
  if (start + length > bytes.length) throw new TimeStampFault("was cut off");
  const contents = bytes.subarray(start, start + length);
  return { tag, contents, bytes: bytes.subarray(from, start + length) };
}
