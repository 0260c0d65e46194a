// Verifier keys of signed notes: `<name>+<key id>+<base64 of a type byte and the public key>`. Policies list
// them, and check-note.ts verifies with them. Ed25519 for logs; Ed25519 and ML-DSA-44 for witnesses.

import { fitsIn, fromBase64, hexOf, joined, toBase64, utf8 } from "./encoding.ts";
import type { Hashing } from "./steps.ts";
import { TlogError } from "./tlog-error.ts";

export const KEY_TYPE = {
  /** A log's signature over the text of a note. */
  ed25519: 0x01,
  /** A witness's cosignature with its time. */
  ed25519Cosignature: 0x04,
  mlDsa44Cosignature: 0x06,
} as const;

export type KeyType = (typeof KEY_TYPE)[keyof typeof KEY_TYPE];

export interface VerifierKey {
  readonly name: string;
  /** Eight lower-case hexadecimal digits. */
  readonly id: string;
  readonly type: KeyType;
  readonly publicKey: Uint8Array<ArrayBuffer>;
}

/** UTF-8 bytes of a name: messages of ML-DSA-44 cosignatures hold its length in one byte. */
const MAX_NAME_BYTES = 255;
const ID_BYTES = 4;

const PUBLIC_KEY_BYTES: Readonly<Record<KeyType, number>> = { 0x01: 32, 0x04: 32, 0x06: 1312 };
const KEY_NAME = /^[^\s+\p{Cc}]+$/u;
const VKEY = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]{1,2000})$/;

/** Without spaces, plus signs and control characters. */
export function isKeyName(name: string): boolean {
  return KEY_NAME.test(name) && name.isWellFormed() && fitsIn(MAX_NAME_BYTES, name);
}

/** Throws TlogError (vkey_malformed). */
export function* makeKey(name: string, type: number, publicKey: Uint8Array): Hashing<VerifierKey> {
  if (!isKeyName(name)) throw malformed("the name is not a key name");
  if (!isKeyType(type)) throw malformed("the type of the key is unknown");
  if (publicKey.length !== PUBLIC_KEY_BYTES[type])
    throw malformed(`a key of this type has ${PUBLIC_KEY_BYTES[type]} bytes`);
  const digest = yield joined(utf8(`${name}\n`), Uint8Array.of(type), publicKey);
  const id = hexOf(digest.subarray(0, ID_BYTES));
  return { name, id, type, publicKey: new Uint8Array(publicKey) };
}

/** Throws TlogError (vkey_malformed), also if the key id is not that of the name and the key. */
export function* readVkey(text: string): Hashing<VerifierKey> {
  const [, name = "", id = "", encoded = ""] = VKEY.exec(text) ?? [];
  const bytes = fromBase64(encoded);
  if (bytes === undefined || bytes.length === 0)
    throw malformed("a vkey is <name>+<8 hexadecimal digits>+<base64>");
  const key = yield* makeKey(name, bytes[0] ?? 0, bytes.subarray(1));
  if (key.id !== id) throw malformed("the key id is not that of the name and the key");
  return key;
}

export function vkeyOf({ id, name, publicKey, type }: VerifierKey): string {
  return `${name}+${id}+${toBase64(joined(Uint8Array.of(type), publicKey))}`;
}

/** The key under which a log signs the checkpoints of one account: the log's own, by another name. */
export function makeAccountKey(log: VerifierKey, account: string): Hashing<VerifierKey> {
  return makeKey(`${log.name}/${account}`, log.type, log.publicKey);
}

/** Whether the public keys are equal, also under other names. */
export function isSameKey(a: VerifierKey, b: VerifierKey): boolean {
  const [one, other] = [a.publicKey, b.publicKey];
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

function isKeyType(type: number): type is KeyType {
  return type in PUBLIC_KEY_BYTES;
}

function malformed(message: string): TlogError {
  return new TlogError("vkey_malformed", message);
}
