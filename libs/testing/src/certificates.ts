// A certificate authority of a test's own, and certificates that it signs (RFC 5280), written with
// Node's crypto alone: Node makes keys and signatures, and what is missing is the few bytes of DER
// around them. For tests only: nothing here checks what it is given.

import {
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { isIP } from "node:net";

export interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

const ECDSA_SHA256 = sequence(oid("1.2.840.10045.4.3.2"));
const COMMON_NAME = "2.5.4.3";
const BASIC_CONSTRAINTS = "2.5.29.19";
const SUBJECT_ALT_NAME = "2.5.29.17";
const DAY_MS = 86_400_000;

/** Bytes of a serial number. */
const SERIAL_BYTES = 8;

export class CertificateAuthority implements Certificate {
  readonly cert: string;
  readonly key: string;
  readonly #name: string;

  constructor(name = "test authority") {
    this.#name = name;
    const keys = newKeys();
    const isAuthority = extension(BASIC_CONSTRAINTS, sequence(tlv(0x01, Buffer.of(0xff))));
    this.cert = issue({ issuer: name, subject: name, keys, signer: keys.privateKey }, [
      isAuthority,
    ]);
    this.key = pemOf(keys.privateKey);
  }

  /** A certificate for names and addresses. */
  issue(...hosts: readonly string[]): Certificate {
    const keys = newKeys();
    const names = hosts.map((host) =>
      isIP(host) === 4
        ? tlv(0x87, Buffer.from(host.split(".").map(Number)))
        : tlv(0x82, Buffer.from(host, "ascii")),
    );
    const cert = issue(
      { issuer: this.#name, subject: "receiver", keys, signer: createPrivateKey(this.key) },
      [extension(SUBJECT_ALT_NAME, sequence(...names))],
    );
    return { cert, key: pemOf(keys.privateKey) };
  }
}

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

function newKeys(): Keys {
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
}

function pemOf(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function issue(
  given: {
    readonly issuer: string;
    readonly subject: string;
    readonly keys: Keys;
    readonly signer: KeyObject;
  },
  extensions: readonly Buffer[],
): string {
  const { issuer, keys, signer, subject } = given;
  const now = Date.now();
  const body = sequence(
    tlv(0xa0, integer(2)),
    tlv(0x02, Buffer.of(1), randomBytes(SERIAL_BYTES)),
    ECDSA_SHA256,
    nameOf(issuer),
    sequence(utcTime(now - DAY_MS), utcTime(now + DAY_MS)),
    nameOf(subject),
    keys.publicKey.export({ type: "spki", format: "der" }),
    tlv(0xa3, sequence(...extensions)),
  );
  const signature = tlv(0x03, Buffer.of(0), sign("sha256", body, signer));
  const base64 = sequence(body, ECDSA_SHA256, signature).toString("base64");
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), tlv(0x04, value));
}

function nameOf(commonName: string): Buffer {
  return sequence(tlv(0x31, sequence(oid(COMMON_NAME), tlv(0x0c, Buffer.from(commonName)))));
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return tlv(0x17, Buffer.from(digits.slice(2)));
}

/** Up to 127. */
function integer(value: number): Buffer {
  return tlv(0x02, Buffer.of(value));
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) bytes.unshift((left & 0x7f) | 0x80);
  return bytes;
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return tlv(0x30, ...parts);
}

function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(parts);
  if (value.length < 0x80) return Buffer.concat([Buffer.of(tag, value.length), value]);
  const length = Buffer.from(value.length.toString(16).padStart(4, "0"), "hex");
  return Buffer.concat([Buffer.of(tag, 0x80 | length.length), length, value]);
}
