// One connection to PostgreSQL with the owner's rights, for baselines and for loading data. Annals itself
// must never be measured through it.

import pg from "pg";
import { CopyIn } from "./copy-in.ts";

export interface Sql {
  /** Runs a statement, prepared under `name` when one is given. */
  run(text: string, values?: readonly unknown[], name?: string): Promise<void>;
  rows<Row extends pg.QueryResultRow>(text: string): Promise<Row[]>;
  /** Runs `COPY … FROM STDIN` with pieces of its text format. */
  copy(text: string, pieces: Iterable<string>): Promise<void>;
  close(): Promise<void>;
}

export async function openSql(databaseUrl: string): Promise<Sql> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return {
    run: async (text, values = [], name) => {
      await client.query({ text, values: [...values], ...(name !== undefined && { name }) });
    },
    rows: async <Row extends pg.QueryResultRow>(text: string) =>
      (await client.query<Row>(text)).rows,
    copy: (text, pieces) => client.query(new CopyIn(text, pieces)).done,
    close: () => client.end(),
  };
}
