// Reads a file of secret keys that a setting names. Called by the `serve` of every service that has one.
// Errors name the setting, the file and the line, never their content.

import { readFile } from "node:fs/promises";
import { ConfigError } from "./config.ts";

/** Throws a ConfigError where the file is not set, not readable or malformed. `purpose`: what it does. */
export async function readKeyFile<T>(
  setting: { readonly env: string; readonly purpose: string },
  file: string | undefined,
  parse: (text: string) => T,
): Promise<T> {
  const { env, purpose } = setting;
  if (file === undefined) throw new ConfigError(`${env} is required: it ${purpose}`);
  try {
    return parse(await readFile(file, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "cannot be read";
    throw new ConfigError(`${env} ${file}: ${reason}`);
  }
}
