// Typed actions: an application names its actions once, and the compiler checks every event. The check is of
// types; at run time only an unknown action is refused, for callers in JavaScript.

import type { Actor, NewEvent } from "./types.ts";

/** A type without a value, made by {@link of}. */
export interface TypeOf<T> {
  readonly type?: T;
}

export interface Action {
  /** Types of actors that can do it; any if it is absent. */
  readonly actor?: readonly string[];
  /** `of<{ total: number }>()`; free-form if it is absent. */
  readonly metadata?: TypeOf<object>;
}

type ActorOf<Definition> = Definition extends { readonly actor: readonly (infer Type)[] }
  ? { actor: Omit<Actor, "type"> & { type: Type } }
  : Pick<NewEvent, "actor">;

type MetadataOf<Definition> = Definition extends { readonly metadata: TypeOf<infer Type> }
  ? { metadata: Type }
  : Pick<NewEvent, "metadata">;

/** What an event of this action needs besides its action. */
export type EventOf<Definition> = Omit<NewEvent, "action" | "actor" | "metadata"> &
  ActorOf<Definition> &
  MetadataOf<Definition>;

/** Names a type: `metadata: of<{ total: number }>()`. */
export function of<T extends object>(): TypeOf<T> {
  return {};
}

/**
 * Returns the function that makes events of these actions. It throws TypeError for any other action.
 */
export function defineActions<const Actions extends Readonly<Record<string, Action>>>(
  actions: Actions,
): <Name extends keyof Actions & string>(action: Name, event: EventOf<Actions[Name]>) => NewEvent {
  return (action, event) => {
    if (!Object.hasOwn(actions, action)) throw new TypeError(`${action} is not a defined action`);
    return { ...event, action } as NewEvent;
  };
}
