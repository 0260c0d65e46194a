// Reads a file of secret keys that a setting names, and reads it again while the process runs. Called by the
// `serve` of every service that has one. Errors name the setting, the file and the line, never their content.
// A file that cannot be used must never replace what works.

import { readFile } from "node:fs/promises";
import { ConfigError } from "./config.ts";
import type { Logger } from "./log.ts";
import { type Loop, startLoop } from "./loop.ts";

export interface KeyFileSetting {
  readonly env: string;
  /** What the file does. */
  readonly purpose: string;
}

const RELOAD_INTERVAL_MS = 5_000;

/** Throws a ConfigError where the file is not set, not readable or malformed. */
export async function readKeyFile<T>(
  setting: KeyFileSetting,
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

/** Calls `use` with the text of a changed file. It throws for a malformed one, and keeps what it has. */
export function followKeyFile(
  { env }: KeyFileSetting,
  file: string,
  use: (text: string) => void,
  { log, intervalMs = RELOAD_INTERVAL_MS }: { readonly log: Logger; readonly intervalMs?: number },
): Loop {
  let current: string | undefined;
  let reported = "";
  const reload = async (): Promise<void> => {
    try {
      const text = await readFile(file, "utf8");
      if (text !== current) use(text);
      if (text !== current && current !== undefined) {
        log.info({ setting: env }, "new keys are in use");
      }
      current = text;
      reported = "";
    } catch (error) {
      const reason = error instanceof Error ? error.message : "cannot be read";
      if (reason === reported) return;
      log.error({ setting: env, reason }, "new keys cannot be used: the old ones stay");
      reported = reason;
    }
  };
  const failures = { inc: () => {} };
  return startLoop({ name: "key_file", log, failures, delayMs: intervalMs, run: reload });
}
