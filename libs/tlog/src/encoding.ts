// Base64, hexadecimal and decimal numbers as the formats of C2SP write them: one text for each value, and no
// other text accepted. Called by everything in this package that reads or writes a text.

const DECIMAL = /^(?:0|[1-9]\d{0,15})$/;

/** Undefined unless the text is the one standard encoding of some bytes, with its padding. */
export function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}

/** Undefined unless the text is a decimal without leading zeros, of at most 2^53 - 1. */
export function fromDecimal(text: string): number | undefined {
  const value = Number(text);
  return DECIMAL.test(text) && Number.isSafeInteger(value) ? value : undefined;
}

/** Big-endian, 8 bytes. */
export function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
