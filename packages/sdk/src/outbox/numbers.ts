// The numbers of an outbox's producer (`context.producer`): one more for each committed event, given when its
// first batch is made, in the same transaction. Called by outbox.ts.

import { memberOf, withMember } from "./member-texts.ts";
import type { Queryable } from "./statements.ts";

export interface NumberedRow {
  readonly id: string;
  readonly event: string;
}

/** Numbers rows that have no number yet. Resolves to all of them, in their order. */
export async function number(
  connection: Queryable,
  producer: string,
  rows: readonly NumberedRow[],
): Promise<NumberedRow[]> {
  await connection.query(
    `INSERT INTO annals_outbox_producers (id, n, dropped) VALUES ($1::text, 0, 0)
     ON CONFLICT (id) DO NOTHING`,
    [producer],
  );
  const { rows: states } = await connection.query(
    `SELECT n::float8, dropped::float8 FROM annals_outbox_producers WHERE id = $1::text FOR UPDATE`,
    [producer],
  );
  let { n, dropped } = states[0] as { n: number; dropped: number };
  const numbered = rows.map((row) => {
    const context = contextOf(row.event);
    // After a refusal it goes in another batch, and keeps its number.
    if (context === undefined || idIn(context) === producer) return row;
    n += 1;
    const given = JSON.stringify({ id: producer, n, dropped });
    const inContext = withMember(memberOf(row.event, "context") ?? "null", "producer", given);
    return { id: row.id, event: withMember(row.event, "context", inContext) };
  });
  await connection.query(
    `UPDATE annals_outbox AS o SET event = numbered.event::json
     FROM unnest($1::bigint[], $2::text[]) AS numbered (id, event) WHERE o.id = numbered.id`,
    [numbered.map(({ id }) => id), numbered.map(({ event }) => event)],
  );
  await connection.query("UPDATE annals_outbox_producers SET n = $2::bigint WHERE id = $1::text", [
    producer,
    n,
  ]);
  return numbered;
}

export async function countDropped(
  connection: Queryable,
  producer: string,
  events: number,
): Promise<void> {
  await connection.query(
    "UPDATE annals_outbox_producers SET dropped = dropped + $2::bigint WHERE id = $1::text",
    [producer, events],
  );
}

/** Undefined if the event cannot have a number: the service refuses it. */
function contextOf(event: string): Record<string, unknown> | undefined {
  const parsed: unknown = JSON.parse(event);
  if (!isObject(parsed)) return undefined;
  const context = parsed["context"] ?? {};
  return isObject(context) ? context : undefined;
}

function idIn({ producer }: Record<string, unknown>): unknown {
  return isObject(producer) ? producer["id"] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
