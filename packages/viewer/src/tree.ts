// Nested JSON as rows that people can read: of one value, or of two that are compared. Used by the detail
// view.

import type { Json } from "./types.ts";

export type Kind = "same" | "added" | "removed" | "changed";

export interface TreeRow {
  readonly depth: number;
  readonly name: string;
  readonly kind: Kind;
  /** Undefined on both sides for a row that only holds others. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export function treeOf(value: Json | undefined): TreeRow[] {
  return compare(value, value, 0);
}

export function diffOf(before: Json | undefined, after: Json | undefined): TreeRow[] {
  return compare(before, after, 0);
}

function compare(before: Json | undefined, after: Json | undefined, depth: number): TreeRow[] {
  const old = membersOf(before);
  const now = membersOf(after);
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) =>
    rowsOf(name, old.get(name), now.get(name), depth),
  );
}

function rowsOf(
  name: string,
  before: Json | undefined,
  after: Json | undefined,
  depth: number,
): TreeRow[] {
  const inner = holds(before) || holds(after) ? compare(before, after, depth + 1) : [];
  const kinds = new Set(inner.map(({ kind }) => kind));
  // Two objects are compared member by member; anything else as a whole.
  if (inner.length > 0 && [before, after].every((side) => side === undefined || holds(side))) {
    const kind = before === undefined ? "added" : after === undefined ? "removed" : undefined;
    const all = kinds.size === 1 && kinds.has("same") ? "same" : "changed";
    return [{ depth, name, kind: kind ?? all, before: undefined, after: undefined }, ...inner];
  }
  const [old, now] = [textOf(before), textOf(after)];
  const kind =
    before === undefined
      ? "added"
      : after === undefined
        ? "removed"
        : JSON.stringify(before) === JSON.stringify(after)
          ? "same"
          : "changed";
  return [{ depth, name, kind, before: old, after: now }];
}

function holds(value: Json | undefined): value is Json[] | { [member: string]: Json } {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function membersOf(value: Json | undefined): Map<string, Json> {
  return new Map(holds(value) ? Object.entries(value) : []);
}

/** A text is shown without quotes; the JSON of the event shows which is which. */
function textOf(value: Json | undefined): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return JSON.stringify(value);
}
