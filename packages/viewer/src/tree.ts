// Nested JSON as rows that people can read: of one value, or of two that are compared. Used by the detail
// view.

import type { Json } from "./types.ts";

export type Kind = "same" | "added" | "removed" | "changed";

/** The members that name an element of a list. */
const IDENTITIES = ["id", "key", "name"];

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
  const sides = [before, after];
  // Two objects are compared member by member, two lists of plain values by what each lacks.
  if (sides.some(holds) && sides.every((side) => side === undefined || isPlainList(side)))
    return [listRow(name, before as Json[] | undefined, after as Json[] | undefined, depth)];
  if (sides.some(holds) && sides.every((side) => side === undefined || holds(side))) {
    const inner = compare(before, after, depth + 1);
    const isSame = inner.every(({ kind }) => kind === "same");
    const kind = isSame && before !== undefined && after !== undefined ? "same" : "changed";
    const whole = before === undefined ? "added" : after === undefined ? "removed" : kind;
    return [{ depth, name, kind: whole, before: undefined, after: undefined }, ...inner];
  }
  return [
    { depth, name, kind: kindOf(before, after), before: textOf(before), after: textOf(after) },
  ];
}

function kindOf(before: Json | undefined, after: Json | undefined): Kind {
  if (before === undefined) return "added";
  if (after === undefined) return "removed";
  return JSON.stringify(before) === JSON.stringify(after) ? "same" : "changed";
}

/** One line for each value. If the same values are in another order, both sides are whole. */
function listRow(
  name: string,
  before: Json[] | undefined,
  after: Json[] | undefined,
  depth: number,
): TreeRow {
  const kind = kindOf(before, after);
  const lines = (list: Json[] | undefined, sign = "") =>
    list?.map((value) => sign + textOf(value)).join("\n");
  const removed = lacking(before ?? [], after ?? []);
  const added = lacking(after ?? [], before ?? []);
  if (kind === "changed" && removed.length + added.length > 0)
    return { depth, name, kind, before: lines(removed, "− "), after: lines(added, "+ ") };
  return { depth, name, kind, before: lines(before), after: lines(after) };
}

/** Returns the values of `list` that `other` has less often. */
function lacking(list: readonly Json[], other: readonly Json[]): Json[] {
  const left = new Map<Json, number>();
  for (const value of other) left.set(value, (left.get(value) ?? 0) + 1);
  return list.filter((value) => {
    const count = left.get(value) ?? 0;
    left.set(value, count - 1);
    return count <= 0;
  });
}

function isPlainList(value: Json | undefined): value is Json[] {
  return Array.isArray(value) && value.every((each) => typeof each !== "object" || each === null);
}

function holds(value: Json | undefined): value is Json[] | { [member: string]: Json } {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function membersOf(value: Json | undefined): Map<string, Json> {
  if (!holds(value)) return new Map();
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  const names = namesOf(value) ?? value.map((_, at) => String(at + 1));
  return new Map(value.map((element, at) => [names[at] ?? "", element]));
}

/** Names the elements of a list by what tells them apart, so that the same ones are compared. */
function namesOf(list: readonly Json[]): string[] | undefined {
  for (const member of IDENTITIES) {
    const names = list.map((element) => {
      const name = holds(element) && !Array.isArray(element) ? element[member] : undefined;
      return typeof name === "string" || typeof name === "number" ? String(name) : "";
    });
    if (new Set(names).size === list.length && !names.includes("")) return names;
  }
  return undefined;
}

/** A text is shown without quotes; the JSON of the event shows which is which. */
function textOf(value: Json | undefined): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return JSON.stringify(value);
}
