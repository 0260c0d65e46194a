// How a client behaves at the end of its process: nothing that waits in the background keeps the process, and
// what is buffered is sent before. Nothing of Node.js is imported, so that the SDK runs without a process.
// Used by tracker.ts and clock.ts.

interface Closing {
  close(): Promise<void>;
}

interface Runtime {
  readonly process?: {
    readonly on?: (event: "beforeExit", listener: () => void) => void;
    readonly off?: (event: "beforeExit", listener: () => void) => void;
  };
  readonly Deno?: { readonly unrefTimer?: (timer: number) => void };
}

const RUNTIME = globalThis as Runtime;
const HOLD_MS = 3_600_000;

/** Clients with buffered events. They share one listener, since an application may have thousands. */
const OPEN = new Set<Closing>();

function closeAll(): void {
  for (const each of OPEN) void each.close();
}

/** Closes the client when the process has nothing else to do. */
export function closeBeforeExit(client: Closing): void {
  if (OPEN.size === 0) RUNTIME.process?.on?.("beforeExit", closeAll);
  OPEN.add(client);
}

/** Leaves a client without buffered events alone. */
export function leaveAtExit(client: Closing): void {
  OPEN.delete(client);
  if (OPEN.size === 0) RUNTIME.process?.off?.("beforeExit", closeAll);
}

/** Keeps the process as long as a caller waits for this. */
export async function held(wait: Promise<void>): Promise<void> {
  const hold = setInterval(() => {}, HOLD_MS);
  try {
    await wait;
  } finally {
    clearInterval(hold);
  }
}

/** Lets the process end before the timer: timers are objects in Node.js and Bun, numbers in Deno. */
export function unref(timer: unknown): void {
  if (typeof timer === "number") RUNTIME.Deno?.unrefTimer?.(timer);
  else (timer as { unref?: () => void }).unref?.();
}
