// Functions of the schema without one of their conditions: the negative control of what refuses a call.
// Imported by tests only.

import type { TestDatabase } from "@annals/testing";

/** A function of the schema, a text in it, and what takes its place. */
export type Condition = readonly [name: string, text: string, instead?: string];

/** Runs `work` while the function has something else in the place of the text. */
export async function withoutCondition(
  owner: TestDatabase,
  [name, text, instead = ""]: Condition,
  work: () => Promise<unknown>,
): Promise<void> {
  const [row] = await owner.query<{ definition: string }>(
    "SELECT pg_get_functiondef(to_regproc($1)) AS definition",
    [`ledger.${name}`],
  );
  const definition = row?.definition ?? "";
  if (!definition.includes(text)) throw new Error(`ledger.${name} has no ${text}`);
  await owner.query(definition.replace(text, () => instead));
  try {
    await work();
  } finally {
    await owner.query(definition);
  }
}
