// Reads a file of keys, or of what names them, that a setting names, and reads it again while the process
// runs. Called by the `serve` of every service that has one. Errors name the setting, the file and the
// line, never their content. A file that cannot be used must never replace what works.

import { readFile } from "node:fs/promises";
import { ConfigError } from "./config.ts";
import { follow, type FollowOptions } from "./follow.ts";
import type { Logger } from "./log.ts";
import type { Loop } from "./loop.ts";

export interface KeyFileSetting {
  readonly env: string;
  /** What the file does. */
  readonly purpose: string;
  /** Texts of the log; by default they are about keys. */
  readonly messages?: FollowOptions["messages"];
}

const KEY_MESSAGES = {
  isNew: "new keys are in use",
  cannotBeUsed: "failed to load new keys: keeping the current ones",
};

/** The policy of the log, which the ledger and the webhook dispatcher read, each for itself. */
export const LOG_POLICY_FILE: KeyFileSetting = {
  env: "ANNALS_LOG_POLICY_FILE",
  purpose: "names the witnesses of the log",
  messages: {
    isNew: "a new policy of the log is in use",
    cannotBeUsed: "failed to load a new policy of the log: keeping the current one",
  },
};

/** Throws a ConfigError if the file is not set, not readable or malformed. */
export async function readKeyFile<T>(
  setting: KeyFileSetting,
  file: string | undefined,
  parse: (text: string) => T,
): Promise<{ readonly text: string; readonly parsed: T }> {
  const { env, purpose } = setting;
  if (file === undefined) throw new ConfigError(`${env} is required: it ${purpose}`);
  try {
    const text = await readFile(file, "utf8");
    return { text, parsed: parse(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : "cannot be read";
    throw new ConfigError(`${env} ${file}: ${reason}`);
  }
}

export interface FollowKeyFileOptions {
  readonly log: Logger;
  readonly intervalMs?: number;
  /** The text that the caller has read and uses. */
  readonly inUse: string;
}

/** Calls `use` with the text of a changed file. If it fails for one, what is in use stays. */
export function followKeyFile(
  { env, messages = KEY_MESSAGES }: KeyFileSetting,
  file: string,
  use: (text: string) => Promise<void> | void,
  { log, intervalMs, inUse }: FollowKeyFileOptions,
): Loop {
  let current = inUse;
  return follow({
    name: "key_file",
    log,
    fields: { setting: env },
    messages,
    intervalMs,
    reload: async () => {
      const text = await readFile(file, "utf8");
      if (text === current) return false;
      await use(text);
      current = text;
      return true;
    },
  });
}
