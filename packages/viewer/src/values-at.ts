// Finds values of an event by the path of a column. Used by the cells of the table.

import type { Json } from "./types.ts";

/** The values at a path. A list on it gives each element, as declared fields do; one in a list gives none. */
export function valuesAt(value: Json | undefined, path: readonly string[]): readonly Json[] {
  if (value === undefined) return [];
  if (Array.isArray(value))
    return value.flatMap((each) => (Array.isArray(each) ? [] : valuesAt(each, path)));
  if (path.length === 0) return [value];
  if (typeof value !== "object" || value === null) return [];
  // The name of a member may have dots itself.
  return path.flatMap((_, at) => {
    const name = path.slice(0, at + 1).join(".");
    return Object.hasOwn(value, name) ? valuesAt(value[name], path.slice(at + 1)) : [];
  });
}
