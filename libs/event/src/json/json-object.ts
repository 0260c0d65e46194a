// How the reader builds objects: they inherit nothing, and no choice of names takes memory out of proportion
// to the text.

import { NINE, ZERO } from "./character-codes.ts";
import type { JsonObject, JsonValue } from "./json-value.ts";

/** Were it null, V8 would make every object a hash table: three times the memory of a small one. */
const BARE: object = Object.freeze(Object.create(null));

/** An object without members, to set members on. */
export function newObject(): JsonObject {
  return Object.create(BARE) as JsonObject;
}

/**
 * Sets a member of such an object. An array index as name is made non-configurable, for its
 * side effect in V8: such members go to a hash table. Else `{"1022":1}`, 10 bytes, takes an array of 12 kB,
 * and 4 MiB of them all the memory there is.
 */
export function setMember(object: JsonObject, name: string, value: JsonValue): void {
  if (isArrayIndex(name)) {
    Object.defineProperty(object, name, {
      value,
      enumerable: true,
      writable: true,
      configurable: false,
    });
  } else {
    object[name] = value;
  }
}

function isArrayIndex(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= ZERO && first <= NINE && ARRAY_INDEX.test(name);
}

/** Shared: a new object for each `{}` would take 100 times the two bytes. */
export const EMPTY_OBJECT: JsonObject = Object.freeze(newObject());

const ARRAY_INDEX = /^(?:0|[1-9][0-9]{0,9})$/;
