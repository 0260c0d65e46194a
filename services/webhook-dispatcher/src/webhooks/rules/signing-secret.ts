// The signing secret of a webhook (interface 9.1): `whsec_` and base64 of 32 random bytes, and the
// two signatures made with it. The secret itself is only in the create response, and in memory while an
// attempt is signed. It must never be logged.

import { createHmac, createSecretKey } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

export function newSigningSecret(random: (size: number) => Uint8Array): string {
  return PREFIX + Buffer.from(random(SECRET_BYTES)).toString("base64");
}

/**
 * `X-Service-Signature` (interface 9.2): lower-case hex HMAC-SHA256 of the body, keyed with the
 * secret as users have it.
 */
export function serviceSignature(secret: string, body: Uint8Array): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

/**
 * `webhook-signature` of Standard Webhooks 1.0: `v1,` and base64 HMAC-SHA256 of
 * `id.timestamp.body`, keyed with the bytes behind `whsec_`. `timestampS` is the attempt's time in
 * whole seconds.
 */
export function standardSignature(
  secret: string,
  payloadId: string,
  timestampS: number,
  body: Uint8Array,
): string {
  // The key is a key object: with bytes Node takes four times as long.
  const key = createSecretKey(secret.slice(PREFIX.length), "base64");
  const mac = createHmac("sha256", key).update(`${payloadId}.${timestampS}.`).update(body);
  return `v1,${mac.digest("base64")}`;
}
