// Verifier keys of signed notes: `<name>+<key id>+<base64 of a type byte and the public key>`. Policies list
// them, and verify-note.ts verifies with them. Ed25519 for logs; Ed25519 and ML-DSA-44 for witnesses.

import { fromBase64 } from "./encoding.ts";
import { sha256 } from "./hash.ts";
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
  readonly publicKey: Buffer;
}

/** UTF-8 bytes of a name: messages of ML-DSA-44 cosignatures hold its length in one byte. */
const MAX_NAME_BYTES = 255;

const PUBLIC_KEY_BYTES: Readonly<Record<KeyType, number>> = { 0x01: 32, 0x04: 32, 0x06: 1312 };
const KEY_NAME = /^[^\s+\p{Cc}]+$/u;
const VKEY = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]{1,2000})$/;

/** Without spaces, plus signs and control characters. */
export function isKeyName(name: string): boolean {
  return KEY_NAME.test(name) && name.isWellFormed() && Buffer.byteLength(name) <= MAX_NAME_BYTES;
}

/** Throws TlogError (vkey_malformed). */
export function keyOf(name: string, type: number, publicKey: Uint8Array): VerifierKey {
  if (!isKeyName(name)) throw malformed("the name is not a key name");
  if (!isKeyType(type)) throw malformed("the type of the key is unknown");
  if (publicKey.length !== PUBLIC_KEY_BYTES[type])
    throw malformed(`a key of this type has ${PUBLIC_KEY_BYTES[type]} bytes`);
  const id = sha256(Buffer.concat([Buffer.from(`${name}\n`), Uint8Array.of(type), publicKey]));
  return { name, id: id.toString("hex", 0, 4), type, publicKey: Buffer.from(publicKey) };
}

/** Throws TlogError (vkey_malformed), also if the key id is not that of the name and the key. */
export function parseVkey(text: string): VerifierKey {
  const [, name = "", id = "", encoded = ""] = VKEY.exec(text) ?? [];
  const bytes = fromBase64(encoded);
  if (bytes === undefined || bytes.length === 0)
    throw malformed("a vkey is <name>+<8 hexadecimal digits>+<base64>");
  const key = keyOf(name, bytes[0] ?? 0, bytes.subarray(1));
  if (key.id !== id) throw malformed("the key id is not that of the name and the key");
  return key;
}

export function vkeyOf({ id, name, publicKey, type }: VerifierKey): string {
  const encoded = Buffer.concat([Uint8Array.of(type), publicKey]).toString("base64");
  return `${name}+${id}+${encoded}`;
}

/** The key under which a log signs the checkpoints of one account: the log's own, by another name. */
export function accountKey(log: VerifierKey, account: string): VerifierKey {
  return keyOf(`${log.name}/${account}`, log.type, log.publicKey);
}

function isKeyType(type: number): type is KeyType {
  return type in PUBLIC_KEY_BYTES;
}

function malformed(message: string): TlogError {
  return new TlogError("vkey_malformed", message);
}
