// What a command prints that a test runs in its own process: the commands of services write on the standard
// streams. One at a time.

import type { Outcome } from "./programs.ts";

let isCapturing = false;

/** Runs `work`, which resolves to an exit status, and returns that with what it prints meanwhile. */
export async function captured(work: () => Promise<number>): Promise<Outcome> {
  if (isCapturing) throw new Error("another command prints on the same streams");
  isCapturing = true;
  const printed = { stdout: "", stderr: "" };
  const restores = (["stdout", "stderr"] as const).map((name) =>
    replaceWrite(process[name], (text) => (printed[name] += text)),
  );
  try {
    return { status: await work(), ...printed };
  } finally {
    for (const restore of restores) restore();
    isCapturing = false;
  }
}

/** Returns what undoes it. */
function replaceWrite(stream: NodeJS.WriteStream, keep: (text: string) => void): () => void {
  const own = Object.getOwnPropertyDescriptor(stream, "write");
  const write = (chunk: unknown): boolean => {
    keep(String(chunk));
    return true;
  };
  Object.defineProperty(stream, "write", { value: write, configurable: true });
  return () => {
    if (own) Object.defineProperty(stream, "write", own);
    else Reflect.deleteProperty(stream, "write");
  };
}
