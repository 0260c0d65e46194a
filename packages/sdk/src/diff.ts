// What changed between two states of an object, as the `diff` of an event. Called by code that
// records a change.

import type { Diff } from "./types.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type JsonObject = { [name: string]: Json };

/**
 * The members that differ, at every depth; arrays are compared whole. `omit` names members that are left
 * out at every depth, such as passwords. The states are read as JSON.stringify writes them.
 */
export function diff(
  before: object | null | undefined,
  after: object | null | undefined,
  options: { readonly omit?: readonly string[] } = {},
): Diff {
  const omitted = new Set(options.omit);
  const [removed, added] = changes(jsonOf(before, omitted), jsonOf(after, omitted));
  return { before: removed, after: added };
}

function jsonOf(state: object | null | undefined, omitted: ReadonlySet<string>): JsonObject {
  const text = JSON.stringify(state ?? {}, (name, value: unknown) =>
    omitted.has(name) ? undefined : value,
  );
  const json = JSON.parse(text) as Json;
  if (!isObject(json)) throw new TypeError("diff() compares objects");
  return json;
}

function changes(before: JsonObject, after: JsonObject): [JsonObject, JsonObject] {
  const removed: JsonObject = {};
  const added: JsonObject = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const old = own(before, name);
    const now = own(after, name);
    if (isObject(old) && isObject(now)) {
      const [inner, outer] = changes(old, now);
      if (Object.keys(inner).length > 0) set(removed, name, inner);
      if (Object.keys(outer).length > 0) set(added, name, outer);
    } else if (!isSame(old, now)) {
      if (old !== undefined) set(removed, name, old);
      if (now !== undefined) set(added, name, now);
    }
  }
  return [removed, added];
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((value, at) => isSame(value, b[at]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const [removed, added] = changes(a, b);
  return Object.keys(removed).length === 0 && Object.keys(added).length === 0;
}

function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** `__proto__` is a member like any other. */
function set(object: JsonObject, name: string, value: Json): void {
  Object.defineProperty(object, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
