// The file of the policy of the log (ANNALS_LOG_POLICY_FILE): read at the start and while the process runs.
// Called by serve.ts. A file that is malformed, or that names other logs only, must neither start the service
// nor replace another one.

import {
  type Closers,
  ConfigError,
  followKeyFile,
  LOG_POLICY_FILE,
  type Logger,
  readKeyFile,
} from "@annals/chassis";
import type { Database } from "@annals/postgres";
import { splitHashes } from "@annals/tlog";

import { LogPolicy } from "./log-policy.ts";
import { getLog } from "./store/logs.ts";

interface Around {
  readonly closers: Closers;
  readonly database: Database;
  readonly log: Logger;
  readonly intervalMs?: number;
}

/**
 * Throws a ConfigError. A database that cannot be asked for the name of the log does not keep the service
 * from starting.
 */
export async function openLogPolicy(
  { logPolicyFile: file }: { readonly logPolicyFile: string | undefined },
  { closers, database, ...options }: Around,
): Promise<LogPolicy> {
  const policy = new LogPolicy();
  if (file === undefined) return policy;
  const logOf = async () => {
    const [row] = await database.run(getLog, []);
    return row && { origin: row.origin, keys: splitHashes(row.keys) };
  };
  const { text } = await readKeyFile(LOG_POLICY_FILE, file, (given) => policy.use(given));
  const known = await logOf().catch((err: unknown) => {
    options.log.warn({ err }, "the policy cannot be compared with the log yet");
    return undefined;
  });
  try {
    policy.use(text, known);
  } catch (error) {
    // A line of the log with a key that a rotation has dropped must not keep appends from starting.
    if (known !== undefined && policy.namesLog(known.origin))
      options.log.warn({ err: error }, "the policy has no key that signs the log now");
    else throw refused(file, error);
  }
  const replace = async (given: string) => policy.use(given, await logOf());
  const following = followKeyFile(LOG_POLICY_FILE, file, replace, { ...options, inUse: text });
  closers.add("log policy", following, () => following.stop());
  return policy;
}

function refused(file: string, error: unknown): ConfigError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ConfigError(`${LOG_POLICY_FILE.env} ${file}: ${reason}`);
}
