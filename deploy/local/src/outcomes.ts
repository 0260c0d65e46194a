// The outcome of a system call or of a child process, with types. Called by most files of the stack. It must
// never hide an error.

import type { ChildProcess } from "node:child_process";

/** The code of a system error, such as ENOENT; undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Resolves when the child has ended and its output is read: the exit code, null after a signal.
 * Rejects when it cannot run.
 */
export function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
}
