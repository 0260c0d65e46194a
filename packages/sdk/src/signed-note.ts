// Signed notes and verifier keys of C2SP (signed-note, tlog-cosignature) with WebCrypto, so that they are
// read wherever the SDK runs. Called by log-policy.ts and verify-checkpoint.ts. Parsing trusts nothing.

export const KEY_TYPE = { log: 0x01, witness: 0x04, mlDsaWitness: 0x06 } as const;

export interface VerifierKey {
  readonly name: string;
  /** Eight lower-case hexadecimal digits. */
  readonly id: string;
  readonly type: number;
  readonly publicKey: Uint8Array<ArrayBuffer>;
}

export interface NoteSignature {
  readonly name: string;
  readonly keyId: string;
  /** Without the key id. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Note {
  /** Ends with a line feed. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

const MAX_BYTES = 256 * 1024;
const MAX_SIGNATURES = 64;
const MAX_NAME_BYTES = 255;
const KEY_ID_BYTES = 4;
const PUBLIC_KEY_BYTES = new Map<number, number>([
  [KEY_TYPE.log, 32],
  [KEY_TYPE.witness, 32],
  [KEY_TYPE.mlDsaWitness, 1312],
]);
const KEY_NAME = /^[^\s+\p{Cc}]+$/u;
const VKEY = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]{1,2000})$/;
const LINE = /^— ([^ ]+) ([A-Za-z0-9+/=]+)$/;
// oxlint-disable-next-line no-control-regex -- it searches for control characters
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/;

const encoder = new TextEncoder();

/** Undefined for a text that is not a note. */
export function parseNote(note: string): Note | undefined {
  if (note.length > MAX_BYTES || encoder.encode(note).length > MAX_BYTES) return undefined;
  const blank = note.lastIndexOf("\n\n");
  if (!note.isWellFormed() || CONTROL.test(note) || blank < 0 || !note.endsWith("\n"))
    return undefined;
  const lines = note.slice(blank + 2, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) return undefined;
  const signatures = lines.map(parseLine).filter((line) => line !== undefined);
  return signatures.length < lines.length
    ? undefined
    : { text: note.slice(0, blank + 1), signatures };
}

function parseLine(line: string): NoteSignature | undefined {
  const [, name = "", encoded = ""] = LINE.exec(line) ?? [];
  const bytes = fromBase64(encoded);
  if (!isKeyName(name) || bytes === undefined || bytes.length <= KEY_ID_BYTES) return undefined;
  return { name, keyId: hexOf(bytes.subarray(0, KEY_ID_BYTES)), bytes: bytes.slice(KEY_ID_BYTES) };
}

/** Without spaces, plus signs and control characters. */
export function isKeyName(name: string): boolean {
  const isShort = encoder.encode(name).length <= MAX_NAME_BYTES;
  return KEY_NAME.test(name) && name.isWellFormed() && isShort;
}

/** Undefined for a text that is not a vkey, also if the key id is of another name or key. */
export async function parseVkey(text: string): Promise<VerifierKey | undefined> {
  const [, name = "", id = "", encoded = ""] = VKEY.exec(text) ?? [];
  const bytes = fromBase64(encoded);
  const type = bytes?.[0];
  if (bytes === undefined || type === undefined || !isKeyName(name)) return undefined;
  if (PUBLIC_KEY_BYTES.get(type) !== bytes.length - 1) return undefined;
  const key = await keyOf(name, type, bytes.slice(1));
  return key.id === id ? key : undefined;
}

export async function keyOf(
  name: string,
  type: number,
  publicKey: Uint8Array<ArrayBuffer>,
): Promise<VerifierKey> {
  const named = encoder.encode(`${name}\n`);
  const hashed = new Uint8Array([...named, type, ...publicKey]);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", hashed));
  return { name, id: hexOf(hash.subarray(0, KEY_ID_BYTES)), type, publicKey };
}

/** False also for a public key that is not a point of the curve. */
export async function isEd25519(
  publicKey: Uint8Array<ArrayBuffer>,
  message: string,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", key, signature, encoder.encode(message));
  } catch (error) {
    // A runtime that lacks Ed25519 must not call a right signature wrong.
    if (error instanceof Error && error.name === "DataError") return false;
    throw error;
  }
}

/** Undefined unless the text is the one standard encoding of some bytes, with its padding. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text);
    if (btoa(binary) !== text) return undefined;
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
