// What is set for the events of a request, a job or a block, over AsyncLocalStorage. Used by context.ts and
// the middleware. Copies of the SDK share it, so a later release must keep what is here or take another key.

import { AsyncLocalStorage } from "node:async_hooks";
import { type ContextStorage, type EventContext, storageOfProcess } from "./event-context.ts";
import type { Actor, NewEvent } from "./types.ts";

/** What is read when an event is recorded, because it may change before: the actor, by a login. */
export interface Source {
  actor(): Actor | undefined;
  context(): Readonly<Record<string, unknown>>;
}

export interface ActiveContext extends EventContext {
  readonly source?: Source | undefined;
}

class EventStorage extends AsyncLocalStorage<ActiveContext | undefined> implements ContextStorage {
  filled(event: NewEvent): NewEvent {
    const here = this.getStore();
    return here ? filled(event, here) : event;
  }
}

function storage(): EventStorage {
  return storageOfProcess(() => new EventStorage()) as EventStorage;
}

export function activeContext(): ActiveContext | undefined {
  return storage().getStore();
}

/** Runs the work, and all that it starts, with this in place of what is set here. */
export function within<Result>(active: ActiveContext | undefined, work: () => Result): Result {
  return storage().run(active, work);
}

export function filled(event: NewEvent, active: ActiveContext): NewEvent {
  const actor = event.actor ?? actorOf(active);
  const context = { ...contextOf(active), ...event.context };
  return {
    ...event,
    ...(actor && { actor }),
    ...(Object.keys(context).length > 0 && { context }),
  };
}

export function actorOf({ actor, source }: ActiveContext): Actor | undefined {
  return actor ?? source?.actor();
}

export function contextOf({ context, source }: ActiveContext): Record<string, unknown> {
  return { ...source?.context(), ...context };
}
