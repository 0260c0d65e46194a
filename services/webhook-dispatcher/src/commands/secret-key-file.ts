// Reads the key file. Called by serve.ts and rotate-secrets.ts.

import { readKeyFile } from "@annals/chassis";
import { SecretKeys } from "../domain/secret-keys.ts";

const SETTING = { env: "ANNALS_WEBHOOK_SECRET_KEY_FILE", purpose: "seals signing secrets" };

/** Throws a ConfigError where the file is not set, not readable or malformed. */
export function readSecretKeys(file: string | undefined): Promise<SecretKeys> {
  return readKeyFile(SETTING, file, (text) => new SecretKeys(text));
}
