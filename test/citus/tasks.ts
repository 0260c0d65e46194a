// To how many shards a distributed PostgreSQL sends a statement, by its plan, and whether its route allows
// that. Called by statements.test.ts.

import type { Found } from "../system/all-statements.ts";
import type { Side } from "./databases.ts";
import { kindOf, type Run } from "./parameters.ts";

/** The number of tasks of each part that is sent to workers; a part is a subplan, or what remains. */
type Tasks = readonly number[];

/** Says in a sentence what the route does not allow. `shards`: how many the accounts of the run have. */
export async function taskFaults(
  side: Side,
  statement: Found,
  { params, shards }: Pick<Run, "params"> & { readonly shards: number },
): Promise<string[]> {
  const rows = await side.explain(`EXPLAIN (FORMAT JSON) ${statement.text}`, params);
  const plan: unknown = JSON.parse(rows[0]?.["QUERY PLAN"] ?? "");
  const tasks = tasksOf(plan);
  const isAllowed =
    statement.route === "local"
      ? tasks.length <= 1 && (await isHere(side, plan))
      : allows(statement, tasks, shards);
  return isAllowed ? [] : [`${statement.route}: ${shards} shards, and tasks: ${tasks.join(", ")}`];
}

function allows(statement: Found, tasks: Tasks, shards: number): boolean {
  const [first = 0, ...more] = tasks;
  if (statement.route === "all accounts, read") return Math.max(first, ...more) > 0;
  // Where tables are distributed, a write of some accounts is given one.
  const expected = kindOf(statement) === "read" && statement.route === "some accounts" ? shards : 1;
  return first === expected && more.length === 0;
}

/** Whether each task, if there is one, is on the coordinator: a table that every server reaches there. */
async function isHere(side: Side, plan: unknown): Promise<boolean> {
  const [here] = await side.explain("SELECT inet_server_port()::text AS port", []);
  return nodesOf(plan).every((node) => node.includes(` port=${here?.["port"]} `));
}

function nodesOf(plan: unknown): string[] {
  if (typeof plan !== "object" || plan === null) return [];
  return Object.entries(plan).flatMap(([name, value]) =>
    name === "Node" ? [String(value)] : nodesOf(value),
  );
}

function tasksOf(plan: unknown): number[] {
  if (Array.isArray(plan)) return plan.flatMap(tasksOf);
  if (typeof plan !== "object" || plan === null) return [];
  return Object.entries(plan).flatMap(([name, value]) => {
    if (name === "Remote Plan") return [];
    // The rows are made by the coordinator, which sends each to the shard of its account.
    if (name === "INSERT/SELECT method") return [1];
    if (name === "Subplans") return (value as unknown[]).flatMap(tasksOfSubplan);
    return name === "Task Count" ? [Number(value)] : tasksOf(value);
  });
}

/** The coordinator sends the result of a subplan to the workers, even of one that it runs itself. */
function tasksOfSubplan(subplan: unknown): number[] {
  const tasks = tasksOf(subplan);
  return tasks.length === 0 ? [0] : tasks;
}
