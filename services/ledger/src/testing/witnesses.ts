// Witnesses within the process of a test: their names, keys and cosignatures. Imported by tests only.

import { createPrivateKey, createPublicKey } from "node:crypto";
import { cosign, KEY_TYPE, keyOf, noteText, parseNote, vkeyOf } from "@annals/tlog";

const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");
const PUBLIC_KEY_BYTES = 32;

export interface TestWitness {
  readonly name: string;
  readonly vkey: string;
  /** Its signature line of a signed note. */
  readonly sign: (note: string, time?: number) => string;
}

/** 2026-05-10T12:00:05Z. */
export const SEEN_S = 1_778_414_405;

export function newWitness(name: string, seedByte: number): TestWitness {
  const seed = Buffer.alloc(32, seedByte);
  const der = Buffer.concat([PKCS8, seed]);
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  const key = keyOf(
    `${name}.example`,
    KEY_TYPE.ed25519Cosignature,
    publicKey.subarray(-PUBLIC_KEY_BYTES),
  );
  return {
    name,
    vkey: vkeyOf(key),
    sign: (note, time = SEEN_S) => {
      const signature = cosign(key.name, seed, parseNote(note).text, time);
      return noteText({ text: "", signatures: [signature] }).slice(1);
    },
  };
}
