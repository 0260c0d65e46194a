// Reads the key file. Called by serve.ts and rotate-sealing-key.ts.

import { type Closers, followKeyFile, type Logger, readKeyFile } from "@annals/chassis";
import { SecretKeys } from "../rules/secret-keys.ts";

const SETTING = { env: "ANNALS_WEBHOOK_SECRET_KEY_FILE", purpose: "seals signing secrets" };

/** Throws a ConfigError if the file is not set, not readable or malformed. */
export async function readSecretKeys(file: string | undefined): Promise<SecretKeys> {
  return (await read(file)).parsed;
}

const read = (file: string | undefined) =>
  readKeyFile(SETTING, file, (text) => new SecretKeys(text));

/** Reads the key file for `serve`: the keys follow the file. */
export async function openSecretKeys(
  file: string | undefined,
  { closers, log }: { readonly closers: Closers; readonly log: Logger },
): Promise<SecretKeys> {
  const { parsed: keys, text: inUse } = await read(file);
  const replace = (text: string): void => keys.replace(text);
  const following = followKeyFile(SETTING, file ?? "", replace, { log, inUse });
  closers.add("webhook keys", following, () => following.stop());
  return keys;
}
