// The file of the policy of the log (ANNALS_LOG_POLICY_FILE): read at the start and while the process runs.
// Called by serve.ts. A file that is malformed, or that names other logs only, must neither start the service
// nor replace another one.

import {
  type Closers,
  ConfigError,
  followKeyFile,
  type Logger,
  readKeyFile,
} from "@annals/chassis";
import type { Database } from "@annals/postgres";
import { publicKeysOf } from "./evidence/log-keys.ts";
import { LogPolicy } from "./evidence/log-policy.ts";
import { getLog } from "./store/logs.ts";

const SETTING = {
  env: "ANNALS_LOG_POLICY_FILE",
  purpose: "names the witnesses of the log",
  messages: {
    isNew: "a new policy of the log is in use",
    cannotBeUsed: "a new policy of the log cannot be used: keeping the current one",
  },
};

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
    return row && { origin: row.origin, keys: publicKeysOf(row.keys) };
  };
  const text = await readKeyFile(SETTING, file, (given) => (policy.use(given), given));
  const known = await logOf().catch((err: unknown) => {
    options.log.warn({ err }, "the policy cannot be compared with the log yet");
    return undefined;
  });
  try {
    policy.use(text, known);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${SETTING.env} ${file}: ${reason}`);
  }
  const replace = async (given: string) => policy.use(given, await logOf());
  const following = followKeyFile(SETTING, file, replace, options);
  closers.add("log policy", following, () => following.stop());
  return policy;
}
