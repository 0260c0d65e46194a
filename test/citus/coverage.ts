// Whether the runs of a statement have what a branch of it may depend on. Called by test/tidy, so that a
// statement without cases is found where no Citus is.

import type { Found } from "../system/all-statements.ts";
import type { Nullable } from "./nullable.ts";
import { castTo, type Run } from "./parameters.ts";

/** Says in a sentence what the runs lack. */
export function coverageFaults(
  statement: Pick<Found, "text">,
  runs: readonly Pick<Run, "params">[],
  { elements, parameters }: Nullable,
): string[] {
  if (runs.length === 0) return ["no case"];
  const valuesOf = (number: number) => runs.map(({ params }) => params[number - 1]);
  const elementsOf = (number: number): unknown[] =>
    valuesOf(number).flatMap((value) => value ?? []);
  const lacking = (numbers: Iterable<number>, text: string, lacks: (number: number) => boolean) =>
    [...numbers].filter(lacks).map((number) => `$${number} is never ${text}`);
  return [
    ...[true, false].flatMap((value) => [
      ...lacking(castTo(statement, "boolean"), String(value), (n) => !valuesOf(n).includes(value)),
      ...lacking(
        castTo(statement, "boolean[]"),
        String(value),
        (n) => !elementsOf(n).includes(value),
      ),
    ]),
    ...lacking(parameters, "null", (n) => !valuesOf(n).includes(null)),
    ...lacking(parameters, "other than null", (n) => valuesOf(n).every((value) => value === null)),
    ...lacking(elements, "an array with null", (n) => !elementsOf(n).includes(null)),
  ];
}
