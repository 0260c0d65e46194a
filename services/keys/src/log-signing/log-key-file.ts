// The file of the keys of the log (ANNALS_LOG_KEY_FILE): read at the start and while the process runs. Called
// by serve.ts. A file that leaves out a key too early must neither start the service nor replace another one.

import {
  type Closers,
  ConfigError,
  type ConfigOf,
  followKeyFile,
  type Logger,
  readKeyFile,
} from "@annals/chassis";
import type { SETTINGS } from "../config.ts";
import { parseLogKeys } from "./rules/log-keys.ts";
import { LogSigner, type LogSignerDeps } from "./log-signer.ts";

const SETTING = { env: "ANNALS_LOG_KEY_FILE", purpose: "signs the log of evidence" };

/**
 * Everyone who verifies has this long to take a newer key. An operator who wants a longer overlap leaves the
 * line in the file for longer, and a shorter one is for a stolen key alone.
 */
const OVERLAP_DAYS = 90;

type Config = Pick<ConfigOf<typeof SETTINGS>, "logKeyFile" | "logKeyWithoutOverlap">;

interface Around extends Omit<LogSignerDeps, "overlapDays"> {
  readonly closers: Closers;
  readonly log: Logger;
  readonly intervalMs?: number;
}

/**
 * Throws a ConfigError if the file is not readable or malformed, or leaves out a key too early. A database
 * that cannot be asked does not keep the service from starting: the signer asks again before it signs.
 */
export async function openLogSigner(
  { logKeyFile, logKeyWithoutOverlap }: Config,
  { closers, intervalMs, ...around }: Around,
): Promise<LogSigner> {
  const overlapDays = logKeyWithoutOverlap ? undefined : OVERLAP_DAYS;
  const signer = new LogSigner({ ...around, overlapDays });
  if (logKeyFile === undefined) return signer;
  const { log } = around;
  const { parsed: file, text: inUse } = await readKeyFile(SETTING, logKeyFile, parseLogKeys);
  const fault = await signer.leftOut(file).catch((err: unknown) => {
    log.warn({ err }, "the keys of the log cannot be compared with those that have signed yet");
    return undefined;
  });
  if (fault !== undefined) throw new ConfigError(`${SETTING.env} ${logKeyFile}: ${fault}`);
  signer.use(file);
  const replace = async (text: string): Promise<void> => {
    const next = parseLogKeys(text);
    const nextFault = await signer.leftOut(next);
    if (nextFault !== undefined) throw new Error(nextFault);
    signer.use(next);
  };
  const options = { log, inUse, ...(intervalMs !== undefined && { intervalMs }) };
  const following = followKeyFile(SETTING, logKeyFile, replace, options);
  closers.add("log keys", following, () => following.stop());
  return signer;
}
