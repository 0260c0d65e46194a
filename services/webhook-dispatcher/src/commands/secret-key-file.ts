// Reads the key file. Called by serve.ts and rotate-secrets.ts. Errors name the file and the line, never
// their content.

import { ConfigError } from "@annals/chassis";
import { readFile } from "node:fs/promises";
import { SecretKeys } from "../domain/secret-keys.ts";

/** Throws a ConfigError where the file is not set, not readable or malformed. */
export async function readSecretKeys(file: string | undefined): Promise<SecretKeys> {
  if (file === undefined) {
    throw new ConfigError("ANNALS_WEBHOOK_SECRET_KEY_FILE is required: it seals signing secrets");
  }
  try {
    return new SecretKeys(await readFile(file, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "cannot be read";
    throw new ConfigError(`ANNALS_WEBHOOK_SECRET_KEY_FILE ${file}: ${reason}`);
  }
}
