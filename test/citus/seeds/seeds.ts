// What seeds are: rows of each table of a schema. Called by the files of this folder and by databases.ts.

/** A value as JSON, of the type of its column. */
export type SeedRow = Readonly<Record<string, unknown>>;

/** By the name of the table, without its schema. Rows of a table have the same columns. */
export type Seeds = Readonly<Record<string, readonly SeedRow[]>>;

/** The seeds for accounts. */
export type SeedsOf = (accounts: readonly string[]) => Seeds;
