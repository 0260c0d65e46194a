// Verifies the answer of a time-stamping authority (RFC 3161): that a certificate of one of the caller's
// authorities signed a time over this digest. Called by timestamps.ts. It takes no certificate on trust.

import {
  type Der,
  DER_TAG as TAG,
  elementsIn,
  expectTag,
  oidOf,
  readTimeStamp,
  TIME_STAMP_INFO,
  TimeStampFault,
  within,
} from "@annals/tlog";
import { createHash, createPublicKey, verify, X509Certificate } from "node:crypto";

const OID = {
  contentType: "1.2.840.113549.1.9.3",
  messageDigest: "1.2.840.113549.1.9.4",
  signingCertificate: "1.2.840.113549.1.9.16.2.12",
  signingCertificateV2: "1.2.840.113549.1.9.16.2.47",
  extendedKeyUsage: "2.5.29.37",
  timeStamping: "1.3.6.1.5.5.7.3.8",
} as const;

const DIGESTS: Readonly<Record<string, string>> = {
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
};

/** Ed25519 hashes by itself; RSA and ECDSA sign the digest that the signer names. */
const ED25519 = "1.3.101.112";
const SIGNATURES = [
  "1.2.840.113549.1.1.1",
  "1.2.840.113549.1.1.11",
  "1.2.840.113549.1.1.12",
  "1.2.840.113549.1.1.13",
  "1.2.840.10045.4.3.2",
  "1.2.840.10045.4.3.3",
  "1.2.840.10045.4.3.4",
];
const MAX_CHAIN = 5;

/** The time of the token in seconds since 1970. Throws TimeStampFault. */
export function tokenTime(
  response: Buffer,
  digest: Buffer,
  authorities: readonly X509Certificate[],
): number {
  try {
    return verifyToken(response, digest, authorities);
  } catch (error) {
    if (error instanceof TimeStampFault) throw error;
    // Node's own errors for a certificate or a key that it cannot read are faults of the token, too.
    throw new TimeStampFault("has a certificate that is not valid");
  }
}

function verifyToken(
  response: Buffer,
  digest: Buffer,
  authorities: readonly X509Certificate[],
): number {
  const { info, signedData, time } = readTimeStamp(response, digest);
  const given = signedData.find(({ tag }) => tag === TAG.context0);
  const certificates = given === undefined ? [] : within(given, TAG.context0);
  const signers = within(signedData.at(-1), TAG.set);
  if (signers.length !== 1) throw new TimeStampFault("has not one signer");
  const known = certificates.map(({ bytes }) => new X509Certificate(bytes));
  const certificate = verifySigner(signers[0], info, known);
  verifyChain(certificate, known, authorities, time);
  return time;
}

/** The certificate that signed, which the signer names by its hash. */
function verifySigner(
  signer: Der | undefined,
  info: Buffer,
  certificates: readonly X509Certificate[],
): X509Certificate {
  const [, , digestAlgorithm, attributes, algorithm, signature] = within(signer, TAG.sequence);
  const digest = DIGESTS[oidOf(within(digestAlgorithm, TAG.sequence)[0])];
  const signatureType = oidOf(within(algorithm, TAG.sequence)[0]);
  const isKnown = signatureType === ED25519 || SIGNATURES.includes(signatureType);
  if (digest === undefined || !isKnown)
    throw new TimeStampFault("has an algorithm that is not supported");
  const signed = attributesOf(expectTag(attributes, TAG.context0));
  if (oidOf(signed.get(OID.contentType)) !== TIME_STAMP_INFO)
    throw new TimeStampFault("signs something else");
  const message = expectTag(signed.get(OID.messageDigest), TAG.octetString).contents;
  if (!createHash(digest).update(info).digest().equals(message))
    throw new TimeStampFault("signs another time");
  const certificate = certificates.find((each) => isNamed(each, signed));
  if (certificate === undefined) throw new TimeStampFault("does not hold its signer's certificate");
  // The signature is over the attributes as a set.
  const bytes = Buffer.from(expectTag(attributes, TAG.context0).bytes);
  bytes[0] = TAG.set;
  const key = createPublicKey(certificate.publicKey.export({ format: "pem", type: "spki" }));
  const how = signatureType === ED25519 ? null : digest;
  if (!verify(how, bytes, key, expectTag(signature, TAG.octetString).contents))
    throw new TimeStampFault("has a signature that is wrong");
  return certificate;
}

/** The one value of each signed attribute. */
function attributesOf(attributes: Der): Map<string, Der> {
  const values = new Map<string, Der>();
  for (const attribute of within(attributes, TAG.context0)) {
    const [type, set] = within(attribute, TAG.sequence);
    const [value, ...more] = within(set, TAG.set);
    const name = oidOf(type);
    if (value === undefined || more.length > 0 || values.has(name))
      throw new TimeStampFault("has an attribute without one value");
    values.set(name, value);
  }
  return values;
}

/** Whether the first certificate that the signer names is this one. */
function isNamed(certificate: X509Certificate, signed: ReadonlyMap<string, Der>): boolean {
  const second = signed.get(OID.signingCertificateV2);
  const named = second ?? signed.get(OID.signingCertificate);
  const [first] = within(within(named, TAG.sequence)[0], TAG.sequence);
  const parts = within(first, TAG.sequence);
  const algorithm = parts.find(({ tag }) => tag === TAG.sequence);
  const isDefault = second === undefined || parts[0]?.tag === TAG.octetString;
  const name = second === undefined ? "sha1" : "sha256";
  const digest = isDefault ? name : DIGESTS[oidOf(within(algorithm, TAG.sequence)[0])];
  const hash = parts.find(({ tag }) => tag === TAG.octetString)?.contents;
  if (digest === undefined || hash === undefined) return false;
  return createHash(digest).update(certificate.raw).digest().equals(hash);
}

function verifyChain(
  signer: X509Certificate,
  certificates: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
  time: number,
): void {
  if (!purposesOf(signer).includes(OID.timeStamping))
    throw new TimeStampFault("was signed by a certificate that is not for time stamps");
  let current = signer;
  for (let length = 0; length < MAX_CHAIN; length += 1) {
    const isValidThen =
      Date.parse(current.validFrom) <= time * 1000 && time * 1000 <= Date.parse(current.validTo);
    if (!isValidThen)
      throw new TimeStampFault("was signed by a certificate that was not valid then");
    const child = current;
    if (authorities.some(({ fingerprint256 }) => fingerprint256 === child.fingerprint256)) return;
    const issuer = [...authorities, ...certificates].find((each) => isIssuer(each, child));
    if (issuer === undefined) break;
    current = issuer;
  }
  throw new TimeStampFault("was signed by no certificate of the given authorities");
}

/** What the certificate is for. Runtimes differ in what `keyUsage` is, so it is read here. */
function purposesOf({ raw }: X509Certificate): string[] {
  const [certificate] = elementsIn(raw);
  const [signed] = within(certificate, TAG.sequence);
  const extensions = within(signed, TAG.sequence).find(({ tag }) => tag === TAG.context3);
  if (extensions === undefined) return [];
  const [list] = within(extensions, TAG.context3);
  for (const extension of within(list, TAG.sequence)) {
    const [name, ...rest] = within(extension, TAG.sequence);
    if (oidOf(name) !== OID.extendedKeyUsage) continue;
    const [purposes] = elementsIn(expectTag(rest.at(-1), TAG.octetString).contents);
    return within(purposes, TAG.sequence).map(oidOf);
  }
  return [];
}

function isIssuer(issuer: X509Certificate, child: X509Certificate): boolean {
  return issuer.ca && child.checkIssued(issuer) && child.verify(issuer.publicKey);
}
