// What the checks use of Node, for browsers: bundled in place of node:crypto and node:buffer, with Buffer as
// a global. The hashes are synchronous, which WebCrypto's are not. It must never be imported in Node.

import { sha256 } from "@noble/hashes/sha2.js";
// oxlint-disable-next-line unicorn/prefer-node-protocol -- the package of that name, for browsers
import { Buffer } from "buffer";

export { Buffer };

type Encoding = "hex" | "binary";

/** `hash` of node:crypto, for SHA-256. */
export function hash(_: "sha256", input: Uint8Array | string, encoding: Encoding = "hex"): string {
  return digestText(sha256(bytesOf(input)), encoding);
}

/** `createHash` of node:crypto, for SHA-256. */
export function createHash(_: "sha256", state = sha256.create()) {
  return {
    update: (input: Uint8Array): unknown => state.update(bytesOf(input)),
    copy: () => createHash("sha256", state.clone()),
    digest: (encoding: Encoding): string => digestText(state.digest(), encoding),
  };
}

/** That of node:buffer. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function bytesOf(input: Uint8Array | string): Uint8Array {
  return typeof input === "string" ? Buffer.from(input) : input;
}

function digestText(digest: Uint8Array, encoding: Encoding): string {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.length).toString(encoding);
}
