// What PostgreSQL does for a statement, by EXPLAIN. Imported by tests that bound the work of a statement by
// the blocks that it touches, which no other load on the machine changes.

import pg from "pg";
import type { TestDatabase } from "./database.ts";

/** A connection begins with custom plans, and keeps to those that PostgreSQL expects to cost less. */
export type Plans = "generic" | "custom";

export interface PlanNode {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly PlanNode[];
}

export interface Explained {
  /** Blocks of 8 KiB that were touched. */
  readonly blocks: number;
  /** Rows that the statement returned. */
  readonly rows: number;
  readonly nodes: readonly PlanNode[];
}

/** A statement of libs/postgres, by its shape. */
interface Explainable<Params extends readonly unknown[]> {
  readonly text: string;
  readonly types?: (params: Params) => unknown;
}

/** A statement on a connection of its own, which keeps the plan that it made first while it is generic. */
export interface Prepared<Params> extends AsyncDisposable {
  /** Runs it, and rolls it back. */
  explain(params: Params): Promise<Explained>;
}

export async function prepare<Params extends readonly unknown[]>(
  { url }: Pick<TestDatabase, "url">,
  { text }: Explainable<Params>,
  plans: Plans,
): Promise<Prepared<Params>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`SET plan_cache_mode = force_${plans}_plan`);
  await client.query(`PREPARE explained AS ${text}`);
  return {
    explain: async (params) => {
      await client.query("BEGIN");
      const { rows } = await client.query<{ "QUERY PLAN": readonly { Plan: PlanNode }[] }>(
        `EXPLAIN (ANALYZE, BUFFERS, TIMING off, FORMAT json) EXECUTE explained (${await literals(client, params)})`,
      );
      await client.query("ROLLBACK");
      const plan = rows[0]?.["QUERY PLAN"][0]?.Plan;
      if (!plan) throw new Error("there is no plan");
      return {
        blocks: plan["Shared Hit Blocks"] + plan["Shared Read Blocks"],
        rows: plan["Actual Rows"],
        nodes: nodesOf(plan),
      };
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** Runs a statement once, and rolls it back. */
export async function explain<Params extends readonly unknown[]>(
  database: Pick<TestDatabase, "url">,
  statement: Explainable<Params>,
  params: Params,
  plans: Plans,
): Promise<Explained> {
  await using prepared = await prepare(database, statement, plans);
  return await prepared.explain(params);
}

/** Values as SQL, because EXECUTE takes no parameters of its own. pg says how a value is written as text. */
async function literals(client: pg.Client, values: readonly unknown[]): Promise<string> {
  const { rows } = await client.query<(string | null)[]>({
    text: `SELECT ${values.map((_, at) => `$${at + 1}::text`).join()}`,
    values: [...values],
    rowMode: "array",
  });
  const texts = rows[0] ?? [];
  return texts.map((text) => (text === null ? "NULL" : client.escapeLiteral(text))).join();
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
