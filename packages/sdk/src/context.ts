// `@annals/sdk/context`: who acts and where, for all events of a request, a job or a block. It follows what
// is awaited and what is called back later, and reaches nothing else: two requests never share it.

import { activeContext, actorOf, contextOf, within } from "./context-storage.ts";
import type { EventContext } from "./event-context.ts";

export type { EventContext } from "./event-context.ts";

/**
 * Events that are tracked by `work`, and by all that it starts, have this actor and these members of
 * `context` where they have none. What is set around it stays, as far as this does not replace it.
 */
export function context<Result>(added: EventContext, work: () => Result): Result {
  const outer = activeContext();
  const active = {
    source: outer?.source,
    actor: added.actor ?? outer?.actor,
    context: { ...outer?.context, ...added.context },
  };
  return within(active, work);
}

/** What is set here, as JSON, for a job that runs later or elsewhere. */
export function save(): EventContext {
  const here = activeContext();
  if (here === undefined) return {};
  const actor = actorOf(here);
  return { ...(actor && { actor }), context: contextOf(here) };
}

/** Runs a job with what was saved for it, and with nothing of what is set around it. */
export function run<Result>(saved: EventContext | null | undefined, work: () => Result): Result {
  return within(saved ? { actor: saved.actor, context: saved.context } : undefined, work);
}
