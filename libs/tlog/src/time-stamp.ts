// Reads the answer of a time stamping authority (RFC 3161) over the digest of a checkpoint. Called by the
// ledger, which stores time stamps, and by annals-verify. It does not verify the authority's signature: who
// reads the time stamp names the authorities to trust.

import { type Der, DER_TAG, elementsIn, expectTag, oidOf, TimeStampFault, within } from "./der.ts";

const SIGNED_DATA = "1.2.840.113549.1.7.2";
export const TIME_STAMP_INFO = "1.2.840.113549.1.9.16.1.4";
const SHA256 = "2.16.840.1.101.3.4.2.1";
/** Granted, and granted with modifications. */
const GRANTED = [0, 1];
const TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d{1,9})?Z$/;

export interface TimeStamp {
  /** Seconds since 1970. */
  readonly time: number;
  /** The information that is signed. */
  readonly info: Buffer;
  /** Members of the information after its time, of which one may be the nonce of the request. */
  readonly more: readonly Der[];
  /** Members of the signed data: its information, certificates and signers. */
  readonly signedData: readonly Der[];
}

/** Throws TimeStampFault unless it was granted, and is of this SHA-256 digest. */
export function readTimeStamp(answer: Buffer, digest: Buffer): TimeStamp {
  const [response, ...rest] = elementsIn(answer);
  const [status, token] = within(response, DER_TAG.sequence);
  const [code] = within(status, DER_TAG.sequence);
  const granted = expectTag(code, DER_TAG.integer).contents;
  if (rest.length > 0 || granted.length !== 1 || !GRANTED.includes(granted[0] ?? -1))
    throw new TimeStampFault("was not granted");
  const [type, content] = within(token, DER_TAG.sequence);
  if (oidOf(type) !== SIGNED_DATA) throw new TimeStampFault("is not signed data");
  const signedData = within(within(content, DER_TAG.context0)[0], DER_TAG.sequence);
  const [infoType, infoContent] = within(signedData[2], DER_TAG.sequence);
  if (oidOf(infoType) !== TIME_STAMP_INFO) throw new TimeStampFault("is not a time stamp");
  const octets = within(infoContent, DER_TAG.context0)[0];
  const info = expectTag(octets, DER_TAG.octetString).contents;
  const [, , imprint, , time, ...more] = within(elementsIn(info)[0], DER_TAG.sequence);
  const [algorithm, stamped] = within(imprint, DER_TAG.sequence);
  const hash = oidOf(within(algorithm, DER_TAG.sequence)[0]);
  if (hash !== SHA256 || !expectTag(stamped, DER_TAG.octetString).contents.equals(digest))
    throw new TimeStampFault("is of something else");
  return { time: secondsOf(time), info, more, signedData };
}

/**
 * Seconds since 1970, of the answer to one request. `nonce` has the bytes of a positive DER integer. Throws
 * TimeStampFault.
 */
export function stampedTime(answer: Buffer, digest: Buffer, nonce: Buffer): number {
  const { more, time } = readTimeStamp(answer, digest);
  const isAnswer = more.some(
    ({ contents, tag }) => tag === DER_TAG.integer && contents.equals(nonce),
  );
  if (nonce.length === 0 || !isAnswer) throw new TimeStampFault("is for another request");
  return time;
}

function secondsOf(element: Der | undefined): number {
  const text = expectTag(element, DER_TAG.generalizedTime).contents.toString("latin1");
  const [, year, month, day, hour, minute, second, fraction = ""] = TIME.exec(text) ?? [];
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(ms)) throw new TimeStampFault("has a time that is not valid");
  return ms / 1_000 + Number(`0${fraction}`);
}
