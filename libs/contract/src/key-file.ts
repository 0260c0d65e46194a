// Files of secret keys, newest first, so that keys can be replaced without a gap: of the webhook dispatcher,
// and of admissions. Errors name the line, never its content.

import { createSecretKey, type KeyObject } from "node:crypto";

const KEY_BYTES = 32;

const LINE = /^([A-Za-z0-9][A-Za-z0-9._-]{0,62}):([A-Za-z0-9+/]{43}=)$/;

/**
 * Reads lines of `<key id>:<base64 of 32 bytes>`, at least one, in their order. Skips empty lines and
 * comments, which begin with `#`. Key objects: Node takes four times as long with bytes.
 */
export function parseKeyFile(text: string): Map<string, KeyObject> {
  const keys = new Map<string, KeyObject>();
  for (const [index, line] of text.split("\n").entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const [, id, base64] = LINE.exec(trimmed) ?? [];
    const key = base64 === undefined ? undefined : Buffer.from(base64, "base64");
    if (id === undefined || key?.length !== KEY_BYTES) {
      throw new Error(`line ${index + 1} is not \`<key id>:<base64 of ${KEY_BYTES} bytes>\``);
    }
    if (keys.has(id)) throw new Error(`line ${index + 1} repeats the key id ${id}`);
    keys.set(id, createSecretKey(key));
  }
  if (keys.size === 0) throw new Error("contains no key");
  return keys;
}
