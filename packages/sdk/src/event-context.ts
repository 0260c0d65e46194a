// Gives track() and the outbox what @annals/sdk/context has set, if an application uses it. Nothing of
// Node.js is imported: context-storage.ts, which needs it, is reached through the process.

import type { Actor, NewEvent } from "./types.ts";

/** What an event gets if it lacks it. As JSON, it can wait in a queue. */
export interface EventContext {
  readonly actor?: Actor | undefined;
  /** Members of the event's `context`. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
}

export interface ContextStorage {
  /** The event with what is set here. It may throw for what is no event. */
  filled(event: NewEvent): NewEvent;
}

/** Copies of the SDK in one process, such as an ES module and CommonJS, have one storage. */
const KEY: unique symbol = Symbol.for("annals.context.1");
const PROCESS = globalThis as { [KEY]?: ContextStorage };

/** The event with what is set where it is tracked. Never throws: what is no event stays as it is. */
export function withContext(event: NewEvent): NewEvent {
  try {
    return PROCESS[KEY]?.filled(event) ?? event;
  } catch {
    return event;
  }
}

/** The storage of the process, which the first caller makes. */
export function storageOfProcess(make: () => ContextStorage): ContextStorage {
  return (PROCESS[KEY] ??= make());
}
