// What the caller of a verification trusts, read from the bytes that they gave. Called by verify-evidence.ts
// before anything of the bundle is. Whatever cannot be used stops the run: it says nothing of the bundle.

import { parsePolicy, type Policy, TlogError } from "@annals/tlog";
import { X509Certificate } from "node:crypto";
import { NotChecked } from "./evidence-fault.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const MAX_CERTIFICATES = 100;

/** Throws NotChecked. */
export function readPolicy(bytes: Uint8Array): Policy {
  try {
    return parsePolicy(bytes);
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    throw new NotChecked(`the policy cannot be used: ${error.message}`);
  }
}

/** Certificates in PEM. Throws NotChecked. */
export function readAuthorities(bytes: Uint8Array | undefined): X509Certificate[] {
  if (bytes === undefined) return [];
  const texts = Buffer.from(bytes).toString("latin1").match(CERTIFICATE) ?? [];
  if (texts.length === 0 || texts.length > MAX_CERTIFICATES)
    throw new NotChecked("the authorities of time stamps are not certificates in PEM");
  try {
    return texts.map((text) => new X509Certificate(text));
  } catch {
    throw new NotChecked("an authority of time stamps is not a certificate");
  }
}
