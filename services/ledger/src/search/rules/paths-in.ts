// The paths that the parts of some events have: what an account may declare as fields. Called by
// list-search-paths.ts. It finds the values that ledger.values_of finds (0001_ledger.sql), and must never
// keep a value: only paths leave it.

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

/** Different steps that are counted. Events with more names have too many of them to choose from. */
const MAX_STEPS = 10_000;

type Scalar = boolean | number | string;

/** Whether a value is one of the type; a string can be read of any. */
const IS_OF = {
  number: (value: Scalar) => typeof value === "number",
  ip: (value: Scalar) =>
    typeof value === "string" && !value.includes("/") && networkKeys(value) !== undefined,
  time: (value: Scalar) => typeof value === "string" && parseTimestamp(value) !== undefined,
} as const;

type Narrow = keyof typeof IS_OF;

/** A name of a path below the names of its parents. */
class Step {
  readonly path: readonly string[];
  readonly below = new Map<string, Step>();
  /** Events that have a value here, and the last of them. */
  events = 0;
  last = -1;
  types = Object.keys(IS_OF) as Narrow[];

  constructor(path: readonly string[]) {
    this.path = path;
  }

  add(event: number, value: Scalar): void {
    if (this.types.length > 0) this.types = this.types.filter((type) => IS_OF[type](value));
    if (this.last !== event) this.events += 1;
    this.last = event;
  }
}

/** The paths with their events, the most frequent first. */
export function pathsIn(events: readonly Parts[]): FoundPath[] {
  const steps: Step[] = FIELD_ROOTS.map((root) => new Step(root));
  const roots = steps.slice();
  for (const [event, parts] of events.entries())
    for (const root of roots) walk(membersAt(parts, root.path), root, event, steps);
  return steps
    .filter((step) => step.events > 0)
    .map(({ events: found, path, types }): FoundPath => ({
      path,
      type: types[0] ?? "string",
      events: found,
    }))
    .toSorted((one, other) => other.events - one.events || compared(one.path, other.path));
}

function membersAt(parts: Parts, [part, ...names]: readonly string[]): unknown {
  const whole: unknown = JSON.parse(parts[part as keyof Parts]);
  return names.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), whole);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An array gives each of its elements; an array in an array gives none. New steps are added to `steps`. */
function walk(value: unknown, at: Step, event: number, steps: Step[]): void {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const one of all) {
    if (isObject(one))
      for (const [name, member] of Object.entries(one)) {
        const step = at.below.get(name) ?? added(name, at, steps);
        if (step) walk(member, step, event, steps);
      }
    else if (typeof one === "boolean" || typeof one === "number" || typeof one === "string")
      at.add(event, one);
  }
}

/** Undefined for a name that no field can have, and beyond a number of steps. */
function added(name: string, { below, path }: Step, steps: Step[]): Step | undefined {
  if (steps.length >= MAX_STEPS || path.length === MAX_FIELD_STEPS || !isStep(name))
    return undefined;
  const step = new Step([...path, name]);
  below.set(name, step);
  steps.push(step);
  return step;
}

function compared(one: readonly string[], other: readonly string[]): number {
  return one.join(".") < other.join(".") ? -1 : 1;
}
