// Actors and targets as objects of OCSF, and back. Called by to-ocsf.ts and from-ocsf.ts, so that each type
// that one writes the other reads. A type that OCSF has no number for stays as it is, with number 99.

import { OTHER } from "./ocsf-classes.ts";
import { defined, type Members, membersOf, textOf, type Thing } from "./source-event.ts";

interface NumberedType {
  readonly id: number;
  readonly caption: string;
}

const UNKNOWN: NumberedType = { id: 0, caption: "Unknown" };

const USER_TYPES: ReadonlyMap<string, NumberedType> = new Map([
  ["user", { id: 1, caption: "User" }],
  ["admin", { id: 2, caption: "Admin" }],
  ["system", { id: 3, caption: "System" }],
  ["service", { id: 4, caption: "Service" }],
]);

/** The types of entities that have an object of their own in a managed entity, and its name. */
const ENTITY_TYPES: ReadonlyMap<string, NumberedType & { readonly object: string }> = new Map([
  ["user", { id: 2, caption: "User", object: "user" }],
  ["group", { id: 3, caption: "Group", object: "group" }],
  ["organization", { id: 4, caption: "Organization", object: "org" }],
  ["policy", { id: 5, caption: "Policy", object: "policy" }],
]);

/** What stands for an actor, or for where a request came from, that the event does not have. */
export const UNKNOWN_NAME = "unknown";

export function userOf({ id, type, name }: Thing): Members {
  return defined({ uid: id, name, ...typeMembers(type, USER_TYPES) });
}

/** `data` is what the entity was, or became; undefined if the event does not say. */
export function entityOf({ id, type, name }: Thing, data: unknown): Members {
  const object = type === undefined ? undefined : ENTITY_TYPES.get(type)?.object;
  return defined({
    uid: id,
    name,
    ...typeMembers(type, ENTITY_TYPES),
    ...(object !== undefined && { [object]: { uid: id } }),
    data,
  });
}

/** A group or a resource, whose types are texts. */
export function namedOf({ id, type, name }: Thing): Members {
  return defined({ uid: id, name, type });
}

/** The id and the type of what {@link userOf} or {@link entityOf} made. */
export function fromTyped(object: unknown): Members {
  const { type_id: typeId } = membersOf(object);
  const type = textOf(object, "type");
  const isOther = typeId === OTHER.id;
  const isKnown = typeof typeId === "number" && typeId !== UNKNOWN.id;
  const text = isOther ? type : isKnown ? type?.toLowerCase() : undefined;
  return defined({ id: textOf(object, "uid"), type: text });
}

/** The same for {@link namedOf}. */
export function fromNamed(object: unknown): Members {
  return defined({ id: textOf(object, "uid"), type: textOf(object, "type") });
}

function typeMembers(
  type: string | undefined,
  known: ReadonlyMap<string, NumberedType>,
): { type_id: number; type: string } {
  if (type === undefined) return { type_id: UNKNOWN.id, type: UNKNOWN.caption };
  const { id, caption } = known.get(type) ?? { id: OTHER.id, caption: type };
  return { type_id: id, type: caption };
}
