// The paths that the parts of some events have: what an account may declare as fields. Called by
// list-search-paths.ts. It finds the values that ledger.values_of finds (0001_ledger.sql), and must never keep
// a value: only paths leave it.

import {
  FIELD_ROOTS,
  type FieldType,
  MAX_FIELD_STEPS,
  networkKeys,
  parseTimestamp,
} from "@annals/contract";
import { isStep } from "./search-field.ts";

/** The JSON text of each part. */
export type Parts = Readonly<Record<"actor" | "context" | "diff" | "metadata" | "target", string>>;

export interface FoundPath {
  readonly path: readonly string[];
  /** What all of its values can be read as. */
  readonly type: FieldType;
  /** How many of the events have a value there. */
  readonly events: number;
}

/** Different paths that are counted. Events with more names have too many of them to choose from. */
const MAX_PATHS = 10_000;

type Scalar = boolean | number | string;

/** Whether a value is one of the type; a string can be read of any. */
const IS_OF = {
  number: (value: Scalar) => typeof value === "number",
  ip: (value: Scalar) =>
    typeof value === "string" && !value.includes("/") && networkKeys(value) !== undefined,
  time: (value: Scalar) => typeof value === "string" && parseTimestamp(value) !== undefined,
} as const;

type Narrow = keyof typeof IS_OF;

interface Counted {
  readonly path: readonly string[];
  events: number;
  /** The last event that has it. */
  last: number;
  types: readonly Narrow[];
}

/** The paths with their events, the most frequent first. */
export function pathsIn(events: readonly Parts[]): FoundPath[] {
  const counted = new Map<string, Counted>();
  for (const [index, parts] of events.entries())
    for (const root of FIELD_ROOTS) {
      const value = membersAt(parts, root);
      for (const [path, scalar] of scalarsIn(value, root)) count(counted, index, path, scalar);
    }
  return [...counted.values()]
    .map(({ events: found, path, types }): FoundPath => ({
      path,
      type: types[0] ?? "string",
      events: found,
    }))
    .toSorted((one, other) => other.events - one.events || compared(one.path, other.path));
}

function membersAt(parts: Parts, [part, ...names]: (typeof FIELD_ROOTS)[number]): unknown {
  const whole: unknown = JSON.parse(parts[part]);
  return names.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), whole);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An array gives each of its elements; an array in an array gives none. */
function* scalarsIn(
  value: unknown,
  path: readonly string[],
): Generator<[path: readonly string[], value: Scalar]> {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const one of all) {
    if (isObject(one)) {
      if (path.length === MAX_FIELD_STEPS) continue;
      for (const [name, member] of Object.entries(one))
        if (isStep(name)) yield* scalarsIn(member, [...path, name]);
    } else if (["boolean", "number", "string"].includes(typeof one)) yield [path, one as Scalar];
  }
}

function count(
  counted: Map<string, Counted>,
  event: number,
  path: readonly string[],
  value: Scalar,
): void {
  const key = JSON.stringify(path);
  const types = Object.keys(IS_OF) as Narrow[];
  const known = counted.get(key) ?? { path, events: 0, last: -1, types };
  if (known.events === 0 && counted.size >= MAX_PATHS) return;
  counted.set(key, known);
  known.types = known.types.filter((type) => IS_OF[type](value));
  if (known.last === event) return;
  known.events += 1;
  known.last = event;
}

function compared(one: readonly string[], other: readonly string[]): number {
  return one.join(".") < other.join(".") ? -1 : 1;
}
