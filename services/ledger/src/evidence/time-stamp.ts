// Reads the answer of a time stamping authority (RFC 3161): whether it is of this digest and this request,
// and its time. Called by AddAnchor. It does not verify the authority's signature: who reads the time stamp
// names the authorities to trust.

const TAG = {
  integer: 0x02,
  octetString: 0x04,
  oid: 0x06,
  time: 0x18,
  sequence: 0x30,
  context0: 0xa0,
};
const SIGNED_DATA = Buffer.from("2a864886f70d010702", "hex");
const TIME_STAMP_INFO = Buffer.from("2a864886f70d0109100104", "hex");
const SHA256 = Buffer.from("608648016503040201", "hex");
/** Granted, and granted with modifications. */
const GRANTED = [0, 1];
const LONG_LENGTH = 0x80;
const MAX_LENGTH_BYTES = 3;
const MAX_ELEMENTS = 100;
const TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d{1,9})?Z$/;

interface Element {
  readonly tag: number;
  readonly contents: Buffer;
}

/** What is wrong with a time stamp. Its message quotes nothing of it. */
export class TimeStampFault extends Error {
  override readonly name = "TimeStampFault";
}

/** Seconds since 1970. `nonce` has the bytes of a positive DER integer. Throws TimeStampFault. */
export function stampedTime(answer: Buffer, digest: Buffer, nonce: Buffer): number {
  const [imprint, , time, ...more] = infoOf(answer).slice(2);
  const [algorithm, stamped] = within(imprint, TAG.sequence);
  const [hash] = within(algorithm, TAG.sequence);
  if (!isOf(hash, TAG.oid, SHA256) || !isOf(stamped, TAG.octetString, digest))
    throw new TimeStampFault("it is of something else");
  if (nonce.length === 0 || !more.some((each) => isOf(each, TAG.integer, nonce)))
    throw new TimeStampFault("it is for another request");
  return secondsOf(contentsOf(time, TAG.time).toString("latin1"));
}

/** The members of the signed information. */
function infoOf(answer: Buffer): Element[] {
  const [response, ...rest] = elementsIn(answer);
  const [status, token] = within(response, TAG.sequence);
  const [code] = within(status, TAG.sequence);
  const granted = contentsOf(code, TAG.integer);
  if (rest.length > 0 || granted.length !== 1 || !GRANTED.includes(granted[0] ?? -1))
    throw new TimeStampFault("it was not granted");
  const [type, content] = within(token, TAG.sequence);
  const [signedData] = within(content, TAG.context0);
  const [, , info] = within(signedData, TAG.sequence);
  const [infoType, infoContent] = within(info, TAG.sequence);
  if (!isOf(type, TAG.oid, SIGNED_DATA) || !isOf(infoType, TAG.oid, TIME_STAMP_INFO))
    throw new TimeStampFault("it is not a time stamp");
  const [octets] = within(infoContent, TAG.context0);
  const [members] = elementsIn(contentsOf(octets, TAG.octetString));
  return within(members, TAG.sequence);
}

function secondsOf(text: string): number {
  const [, year, month, day, hour, minute, second, fraction = ""] = TIME.exec(text) ?? [];
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(ms)) throw new TimeStampFault("its time is not valid");
  return ms / 1_000 + Number(`0${fraction}`);
}

function isOf(element: Element | undefined, tag: number, contents: Buffer): boolean {
  return contentsOf(element, tag, true).equals(contents);
}

/** Throws unless the element has this tag; where `isOptional` is true, another one has no contents. */
function contentsOf(element: Element | undefined, tag: number, isOptional = false): Buffer {
  if (element?.tag === tag) return element.contents;
  if (isOptional) return Buffer.alloc(0);
  throw new TimeStampFault("it is malformed");
}

function within(element: Element | undefined, tag: number): Element[] {
  return elementsIn(contentsOf(element, tag));
}

function elementsIn(bytes: Buffer): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const [tag, short] = [bytes[at], bytes[at + 1]];
    const lengthBytes = short !== undefined && short >= LONG_LENGTH ? short - LONG_LENGTH : 0;
    const start = at + 2 + lengthBytes;
    const isLong = lengthBytes > MAX_LENGTH_BYTES || short === LONG_LENGTH;
    if (tag === undefined || short === undefined || isLong || start > bytes.length)
      throw new TimeStampFault("it is malformed");
    const length = lengthBytes === 0 ? short : bytes.readUIntBE(at + 2, lengthBytes);
    at = start + length;
    if (at > bytes.length || elements.length === MAX_ELEMENTS)
      throw new TimeStampFault("it is malformed");
    elements.push({ tag, contents: bytes.subarray(start, at) });
  }
  return elements;
}
