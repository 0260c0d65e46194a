// The exit statuses of every command, and the errors that end one with a sentence and without a stack
// (docs/operators/command-line.md).

export const EXIT = {
  ok: 0,
  failure: 1,
  /** A wrong command line or configuration, or an unknown id: nothing was changed. */
  usage: 2,
  /** The check ran and did not pass: an invalid chain, an unhealthy process. */
  checkFailed: 3,
} as const;

/** A fault of the command line or the configuration. The message says what is wanted. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** A command that failed for a reason that needs no stack. The message says what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
