// Prints what a fault test or one over Citus did, as one line that a person copies into docs/reliability.md.
// Called at the end of a test that passed. It must never decide anything.

import { expect, inject } from "vitest";

/** `figures` by name, such as rounds, appends, retried. */
export function report(figures: Readonly<Record<string, number>>): void {
  const { name } = inject("form");
  const shown = Object.entries(figures).map(([what, count]) => `${what} ${Math.round(count)}`);
  process.stdout.write(`${name} form, ${expect.getState().currentTestName}: ${shown.join(", ")}\n`);
}
