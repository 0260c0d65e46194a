// What a command prints that a test runs in its own process: the commands of services write on the standard
// streams. One at a time.

import { vi } from "vitest";
import type { Outcome } from "./programs.ts";

let isCapturing = false;

/** Runs `work`, which resolves to an exit status, and returns that with what it prints meanwhile. */
export async function captured(work: () => Promise<number>): Promise<Outcome> {
  if (isCapturing) throw new Error("another command prints on the same streams");
  isCapturing = true;
  const printed = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      printed[name] += String(text);
      return true;
    }),
  );
  try {
    return { status: await work(), ...printed };
  } finally {
    for (const spy of spies) spy.mockRestore();
    isCapturing = false;
  }
}
