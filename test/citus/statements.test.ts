// Guarantee: every statement with accounts does on a distributed PostgreSQL what it does on a single one: it
// returns the same rows and leaves the same tables, for accounts of both workers, with each boolean both
// ways, and with and without each parameter that may be null. It goes to as many shards as its route says.

import { type Route, statement } from "@annals/postgres";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { collectStatements, type Found } from "../system/all-statements.ts";
import { CASES, NOT_COMPARED } from "./cases/all.ts";
import { compare, tableDifferences } from "./comparison.ts";
import { type Both, createBoth, openSides, type Sides } from "./databases.ts";
import { findNullable } from "./nullable.ts";
import { type Run, runsOf } from "./parameters.ts";
import { exportsSeeds } from "./seeds/exports.ts";
import { ledgerSeeds } from "./seeds/ledger.ts";
import { webhooksSeeds } from "./seeds/webhooks.ts";
import { findWorld, type World } from "./subjects.ts";
import { taskFaults } from "./tasks.ts";

const SCHEMAS = { ledger: ledgerSeeds, exports: exportsSeeds, webhooks: webhooksSeeds };
type Schema = keyof typeof SCHEMAS;

/** After so many runs PostgreSQL may keep a plan for all parameters. */
const RUNS = 7;

const WORKERS = 2;

/** Reads that return no row while all is well. */
const WITHOUT_ROWS = new Set(["ledger.find-altered-tables"]);

const STATEMENTS = await collectStatements();
const COMPARED = [...STATEMENTS].filter(
  ([name]) => !name.startsWith("keys.") && !(name in NOT_COMPARED),
);
const nullableOf = findNullable();

let both: Both;
let world: World;
const opened = new Map<string, Sides>();

beforeAll(async () => {
  both = await createBoth(inject("stack").databaseUrl);
  world = await findWorld(both.spread);
  for (const [schema, seedsOf] of Object.entries(SCHEMAS)) {
    const seeds = seedsOf(world.accounts);
    opened.set(schema, await openSides(both, { role: `annals_${schema}`, schema, seeds }));
  }
});
afterAll(async () => {
  for (const sides of opened.values()) await sides.close();
  await both?.drop();
});

/** The databases of the schema that a statement's name begins with. */
function sidesOf(name: string): Sides {
  const sides = opened.get(name.split(".")[0] ?? "");
  if (!sides) throw new Error(`${name} has no schema`);
  return sides;
}

const contentFaults = async (schema: Schema): Promise<string[]> => {
  const { distributed, seeded } = sidesOf(schema);
  return tableDifferences(schema, seeded, await distributed.contents());
};

const textOf = ({ params }: Run): string =>
  JSON.stringify(params, (_, value) => (typeof value === "bigint" ? String(value) : value));

test.for(Object.keys(SCHEMAS) as Schema[])(
  "%s: both databases have the same rows, in every table",
  async (schema) => {
    expect(await contentFaults(schema)).toEqual([]);
    const rows = [...sidesOf(schema).seeded.values()].map(({ length }) => length);
    expect(Math.min(...rows)).toBeGreaterThanOrEqual(world.accounts.length);
  },
);

test.for(COMPARED)("%s", async ([name, one]) => {
  const sides = sidesOf(name);
  const nullable = nullableOf(name);
  const runs = runsOf(one, CASES[name] ?? [], { nullable, subjects: world.subjects });
  const faults = new Set<string>();
  const note = (run: Run, found: readonly string[]) => {
    for (const fault of found) faults.add(`${fault}, with ${textOf(run)}`);
  };
  const effective = new Set<number>();
  const compareAll = async (some: readonly Run[]): Promise<number> => {
    for (const run of some) {
      const { differences, hasEffect } = await compare(sides, one, run);
      note(run, differences);
      if (hasEffect) effective.add(run.worker);
    }
    return some.length;
  };
  let count = await compareAll(runs);
  const repeated = runs.filter(({ before }) => before === undefined);
  const needed = one.customPlan || repeated.length === 0 ? 0 : RUNS;
  while (count < needed) count += await compareAll(repeated);
  for (const run of runs) note(run, await taskFaults(sides.distributed, one, run));
  expect([...faults]).toEqual([]);
  // Without an effect at each worker the cases would say little.
  expect(effective.size).toBe(WITHOUT_ROWS.has(name) ? 0 : WORKERS);
});

test.for(Object.keys(SCHEMAS) as Schema[])(
  "%s: what the statements changed has been undone",
  async (schema) => expect(await contentFaults(schema)).toEqual([]),
);

describe("statements that are not compared", () => {
  const found = (name: string): Found => STATEMENTS.get(name) as Found;

  test("an append to several chains is refused: then each is appended to by itself", async () => {
    const { distributed, plain } = sidesOf("ledger");
    const append = found("ledger.append-to-chains");
    const [subject] = world.subjects.several;
    const [each] = CASES[append.name] ?? [];
    const params = typeof each === "function" && subject ? each(subject) : [];
    expect(await plain.pool.run(append, params)).toHaveLength(2);
    await expect(distributed.pool.run(append, params)).rejects.toMatchObject({ code: "0A000" });
    await plain.restore(["events", "heads", "idempotency_keys"]);
  });

  test("each server has a row with the number of its shards", async () => {
    const { distributed } = sidesOf("ledger");
    const servers = found("ledger.list-servers");
    expect(await distributed.pool.run(servers, [])).toMatchObject([{ shards: 2 }, { shards: 2 }]);
    const faults = await taskFaults(distributed, servers, { params: [], shards: 0 });
    expect(faults).toEqual([]);
  });
});

describe("what is wrong is found", () => {
  const wrong = (route: Route, text: string) =>
    statement<readonly unknown[], object>(`/* webhooks.wrong */ ${text}`, {
      route,
      customPlan: true,
    });

  // Citus runs neither of its parts, and raises no error.
  test("a CTE that writes, where its condition is false", async () => {
    const update = wrong(
      "one account",
      `WITH gone AS (DELETE FROM webhooks.drops WHERE account_id = $1::text AND NOT $2::boolean RETURNING 1)
       UPDATE webhooks.webhooks SET url = 'changed' WHERE account_id = $1::text AND id = 'wh_1'`,
    );
    const [account] = world.accounts;
    const of = (isKept: boolean) =>
      compare(sidesOf("webhooks"), update, { params: [account, isKept] });
    expect(await of(true)).toEqual({
      differences: [
        `webhooks.webhooks.url of ${account}/wh_1 is changed and, distributed, https://example.com/a`,
      ],
      hasEffect: true,
    });
    expect(await contentFaults("webhooks")).toEqual([]);
  });

  test("rows of another account, in the result and in the table", async () => {
    const { distributed, plain } = sidesOf("webhooks");
    const [account] = world.accounts;
    await distributed.query(
      `UPDATE webhooks.drops SET count = count + 1 WHERE account_id = '${account}'`,
    );
    const read = wrong(
      "one account",
      "SELECT count FROM webhooks.drops WHERE account_id = $1::text",
    );
    const { differences } = await compare(sidesOf("webhooks"), read, { params: [account] });
    expect(differences).toEqual([
      `returned ["{\\"count\\":\\"7\\"}"] and, distributed, ["{\\"count\\":\\"8\\"}"]`,
    ]);
    expect(await contentFaults("webhooks")).toEqual([
      `webhooks.drops.count of ${account}/wh_1 is 7 and, distributed, 8`,
    ]);
    for (const side of [plain, distributed]) await side.restore(["drops"]);
  });

  test.for<[Route, text: string, params: readonly unknown[], tasks: string]>([
    ["one account", "SELECT id FROM webhooks.webhooks WHERE id = $1::text", ["wh_1"], "4"],
    ["some accounts", "SELECT id FROM webhooks.webhooks WHERE id = $1::text", ["wh_1"], "4"],
    ["local", "SELECT id FROM webhooks.webhooks WHERE account_id = $1::text", ["acct_1"], "1"],
    ["all accounts, read", "SELECT 1 WHERE $1::text IS NULL", ["a"], ""],
    [
      "one account",
      "SELECT (SELECT count(*) FROM webhooks.cursors) FROM webhooks.drops WHERE account_id = $1::text",
      ["acct_1"],
      "4, 1",
    ],
    [
      "one account",
      `UPDATE webhooks.drops SET last_at = moment.now FROM (SELECT statement_timestamp() AS now) AS moment
       WHERE account_id = $1::text RETURNING moment.now`,
      ["acct_1"],
      "0, 1",
    ],
  ])("%s: %s", async ([route, text, params, tasks]) => {
    const run = { params, shards: 1 };
    const faults = await taskFaults(sidesOf("webhooks").distributed, wrong(route, text), run);
    expect(faults).toEqual([`${route}: 1 shards, and tasks: ${tasks}`]);
  });
});
