// Collects what callbacks of the SDK throw, which would else end the process of the tests. Used by tests of
// spool and outbox.

import { onTestFinished, vi } from "vitest";

export function uncaught(): unknown[] {
  const thrown: unknown[] = [];
  const queue = globalThis.queueMicrotask;
  vi.stubGlobal("queueMicrotask", (task: () => void) =>
    queue(() => {
      try {
        task();
      } catch (error) {
        thrown.push(error);
      }
    }),
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  return thrown;
}
