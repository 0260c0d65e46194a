// The columns of a table of events, written as names with spaces between: `occurred_at action context.ip`.
// Read by the viewer and by the dashboard. Anyone can have written them, so what is no column is left out.

/** The columns that a table has by default. */
export const DEFAULT_COLUMNS: readonly string[] = [
  "occurred_at",
  "action",
  "actor",
  "target",
  "context.ip",
];

/** The most columns that a table has. */
export const MAX_COLUMNS = 12;

/** The longest name of a column, in characters. */
export const MAX_COLUMN_LENGTH = 128;

const MEMBERS: readonly string[] = [
  "id",
  "sequence_number",
  "occurred_at",
  "received_at",
  "created_at",
  "action",
  "outcome",
  "actor",
  "target",
];
const PATH = /^(?:actor|target|context|diff|metadata)(?:\.[^.\s]+)+$/;

/** Whether a table can have the column: a member of an event, its outcome, or a path in one of its parts. */
export const isColumn = (name: string): boolean =>
  MEMBERS.includes(name) || (name.length <= MAX_COLUMN_LENGTH && PATH.test(name));

/** The columns that are written there, each once; none if none of them is a column. */
export function columnsIn(written: string): readonly string[] {
  return [...new Set(written.split(/\s+/).filter(isColumn))].slice(0, MAX_COLUMNS);
}

/** The columns that a table shows for what is written: by default {@link DEFAULT_COLUMNS}. */
export function columnsOf(written: string): readonly string[] {
  const columns = columnsIn(written);
  return columns.length > 0 ? columns : DEFAULT_COLUMNS;
}
