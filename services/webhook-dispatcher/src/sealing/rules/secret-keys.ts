// Encryption of secrets at rest: AES-256-GCM under a key of the operator, bound to the account and the
// webhook or sink, so that a secret that was moved to another row cannot be opened. Used to create webhooks
// and sinks, to sign and to send, and by the rotation. Errors name key ids, never keys.

import { parseKeyFile } from "@annals/contract";
import { createCipheriv, createDecipheriv, createHmac, type KeyObject } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Sealed {
  readonly keyId: string;
  /** The nonce, the ciphertext and the tag. */
  readonly bytes: Uint8Array;
}

/** What a secret belongs to: a webhook, or a sink. */
export type Owner =
  | { readonly accountId: string; readonly webhookId: string }
  | { readonly accountId: string; readonly sinkId: string };

export class SecretKeys {
  #keys!: ReadonlyMap<string, KeyObject>;
  #sealingKeyId!: string;

  /** `text` is the content of the key file. */
  constructor(text: string) {
    this.replace(text);
  }

  /** Replaces the keys. If the text is malformed, throws and keeps the present keys. */
  replace(text: string): void {
    const keys = parseKeyFile(text);
    const [first] = keys.keys();
    if (first === undefined) throw new Error("contains no key");
    this.#keys = keys;
    this.#sealingKeyId = first;
  }

  /** The key that seals: the first of the file. */
  get sealingKeyId(): string {
    return this.#sealingKeyId;
  }

  /** Ids of all keys, for the check that every sealed secret can be opened. */
  get keyIds(): string[] {
    return [...this.#keys.keys()];
  }

  /** Seals a secret. `random(n)` returns n random bytes: the nonce must never repeat under one key. */
  seal(secret: string, owner: Owner, random: (size: number) => Uint8Array): Sealed {
    const nonce = random(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key(this.sealingKeyId), nonce);
    cipher.setAAD(bindingOf(owner));
    const bytes = [nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()];
    return { keyId: this.sealingKeyId, bytes: Buffer.concat(bytes) };
  }

  /** Opens a secret. Throws if the key is unknown, or the bytes were not sealed for this owner. */
  open({ keyId, bytes }: Sealed, owner: Owner): string {
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, this.#key(keyId), nonce, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(bindingOf(owner));
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
    const secret = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES));
    return Buffer.concat([secret, decipher.final()]).toString("utf8");
  }

  /** The digest of what has secrets, as a MAC by each key: that of the key that seals is the first. */
  conceal(sha256: Uint8Array): readonly Uint8Array[] {
    return [...this.#keys.values()].map((key) =>
      createHmac("sha256", key).update("annals request with secrets\0").update(sha256).digest(),
    );
  }

  #key(id: string): KeyObject {
    const key = this.#keys.get(id);
    if (!key) throw new Error(`the sealing key ${id} is not in the key file`);
    return key;
  }
}

function bindingOf(owner: Owner): Buffer {
  const { accountId } = owner;
  const binding =
    "sinkId" in owner
      ? ["annals sink configuration", accountId, owner.sinkId]
      : ["annals webhook secret", accountId, owner.webhookId];
  return Buffer.from(JSON.stringify(binding));
}
