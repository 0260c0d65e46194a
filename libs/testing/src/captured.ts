// What a command prints that a test runs in its own process: the commands of services write on the standard
// streams. One at a time.

import type { Outcome } from "./programs.ts";

let isCapturing = false;

/** Runs `work`, which resolves to an exit status, and returns that with what it prints meanwhile. */
export async function captured(work: () => Promise<number>): Promise<Outcome> {
  if (isCapturing) throw new Error("another command prints on the same streams");
  isCapturing = true;
  const { stderr, stdout } = process;
  const writes = [stdout.write, stderr.write] as const;
  const printed = { stdout: "", stderr: "" };
  stdout.write = (text) => ((printed.stdout += String(text)), true);
  stderr.write = (text) => ((printed.stderr += String(text)), true);
  try {
    return { status: await work(), ...printed };
  } finally {
    [stdout.write, stderr.write] = writes;
    isCapturing = false;
  }
}
