// Base64, hexadecimal and decimal numbers as the formats of C2SP write them: one text for each value, and no
// other text accepted. Called by everything in this package that reads or writes a text.

const DECIMAL = /^(?:0|[1-9]\d{0,15})$/;
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const NOT_BASE64 = 64;
const BASE64_PAIRS = Array.from(BASE64, (one) => Array.from(BASE64, (other) => one + other)).flat();
/** The value of each character, at its code. */
const BASE64_VALUES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = BASE64.indexOf(String.fromCharCode(code));
  return value < 0 ? NOT_BASE64 : value;
});
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
/** UTF-8 bytes of one UTF-16 code unit, at most. */
const MAX_UNIT_BYTES = 3;
const encoder = new TextEncoder();

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Whether the text has at most so many bytes in UTF-8. */
export function fitsIn(most: number, text: string): boolean {
  if (text.length * MAX_UNIT_BYTES <= most) return true;
  return text.length <= most && utf8(text).length <= most;
}

/**
 * Undefined unless the text is the one standard encoding of some bytes, with its padding. Written here
 * because `atob` takes several times as long in Node.js, and accepts other encodings.
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let [held, bits, size] = [0, 0, 0];
  for (let at = 0; at < text.length - padding; at += 1) {
    const value = BASE64_VALUES[text.charCodeAt(at)] ?? NOT_BASE64;
    if (value === NOT_BASE64) return undefined;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[size] = held >> bits;
    size += 1;
  }
  // Bits that the padding cuts off are zero.
  return (held & ((1 << bits) - 1)) === 0 ? bytes : undefined;
}

export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += (BASE64_PAIRS[group >> 12] as string) + (BASE64_PAIRS[group & 0xfff] as string);
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  return missing === 0 ? text : text.slice(0, -missing) + "=".repeat(missing);
}

/** One character for each byte, from U+0000 to U+00FF. */
export function charactersOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** One byte for each character, which is at most U+00FF. */
export function bytesOf(characters: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = characters.charCodeAt(at);
  return bytes;
}

/** Undefined unless the text is a decimal without leading zeros, of at most 2^53 - 1. */
export function fromDecimal(text: string): number | undefined {
  const value = Number(text);
  return DECIMAL.test(text) && Number.isSafeInteger(value) ? value : undefined;
}

/** In lower case. */
export function hexOf(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += HEX[byte] ?? "";
  return hex;
}

export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at += 1)
    bytes[at] = Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

/** Big-endian, 8 bytes. */
export function uint64(value: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
