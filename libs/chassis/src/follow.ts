// Reads files again while the process runs, so that what they hold is replaced without a restart. Called by
// the code that opened them. A file that cannot be used must never replace what works; it is reported once.

import type { Logger } from "./log.ts";
import { type Loop, startLoop } from "./loop.ts";

const RELOAD_INTERVAL_MS = 5_000;

export interface FollowOptions {
  /** Name of the loop, in snake_case. */
  readonly name: string;
  readonly log: Logger;
  /** Fields of both lines. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly messages: { readonly isNew: string; readonly cannotBeUsed: string };
  /** How many failures for the same reason come before the report: files may be in the middle of a change. */
  readonly tolerated?: number;
  readonly intervalMs?: number | undefined;
  /** Reads the files. Resolves to whether they are new and in use; rejects when they cannot be used. */
  readonly reload: () => Promise<boolean>;
}

export function follow(options: FollowOptions): Loop {
  const { fields = {}, intervalMs = RELOAD_INTERVAL_MS, log, messages, tolerated = 0 } = options;
  let failure = { reason: "", count: 0 };
  const run = async (): Promise<void> => {
    try {
      const isNew = await options.reload();
      failure = { reason: "", count: 0 };
      if (isNew) log.info(fields, messages.isNew);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      failure = { reason, count: reason === failure.reason ? failure.count + 1 : 1 };
      if (failure.count === tolerated + 1) log.error({ ...fields, reason }, messages.cannotBeUsed);
    }
  };
  const failures = { inc: () => {} };
  return startLoop({ name: options.name, log, failures, delayMs: intervalMs, run });
}
