// Who asked for what a record says: the API key, the person or the workload that the call was admitted for.
// Called by the RPCs that record.

import { internal } from "@annals/errors";
import { actorOf } from "@annals/rpc";
import type { HandlerContext } from "@connectrpc/connect";
import type { RecordActor } from "../append/rules/record-events.ts";

/** Throws if the call was admitted for no one: a record never lacks who made it. */
export function recordActorOf(context: Pick<HandlerContext, "values">): RecordActor {
  const { id, type } = actorOf(context);
  if (id === undefined) throw internal("a record needs the key that asked for it");
  return { id, type };
}
