// Guarantee: every statement with accounts does on a distributed PostgreSQL what it does on a single one: it
// returns the same rows and leaves the same tables, for accounts of both workers, with each boolean both ways,
// and with and without each parameter that may be null. It goes to as many shards as its route says.

import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { collectStatements, type Found } from "../system/all-statements.ts";
import { CASES, NOT_COMPARED } from "./cases/all.ts";
import { compare, tableDifferences } from "./comparison.ts";
import { type Both, createBoth, openSides, type Sides } from "./databases.ts";
import { findNullable } from "./nullable.ts";
import { isWrite, type Run, runsOf } from "./parameters.ts";
import { exportsSeeds } from "./seeds/exports.ts";
import { ledgerSeeds } from "./seeds/ledger.ts";
import { webhooksSeeds } from "./seeds/webhooks.ts";
import { findWorld, type World } from "./subjects.ts";
import { taskFaults } from "./tasks.ts";

const SCHEMAS = { ledger: ledgerSeeds, exports: exportsSeeds, webhooks: webhooksSeeds };

/** After so many runs PostgreSQL may keep a plan for all parameters. */
const RUNS = 7;

/** Reads that return no row while all is well. */
const WITHOUT_ROWS = new Set(["ledger.find-altered-tables"]);

const STATEMENTS = [...(await collectStatements()).values()];
const nullableOf = findNullable();

let both: Both;
let world: World;

beforeAll(async () => {
  both = await createBoth(inject("stack").databaseUrl);
  world = await findWorld(both.spread);
});
afterAll(() => both?.drop());

describe.each(Object.entries(SCHEMAS))("%s", (schema, seedsOf) => {
  const ofSchema = STATEMENTS.filter(
    ({ name }) => name.startsWith(`${schema}.`) && !(name in NOT_COMPARED),
  );
  let sides: Sides;
  beforeAll(async () => {
    const seeds = seedsOf(world.accounts);
    sides = await openSides(both, { role: `annals_${schema}`, schema, seeds });
  });
  afterAll(() => sides?.close());

  test("both databases begin with the same rows", async () => {
    expect(tableDifferences(schema, sides.seeded, await sides.distributed.contents())).toEqual([]);
    expect([...sides.seeded.values()].every((rows) => rows.length >= 4)).toBe(true);
  });

  test.each(ofSchema.map((each) => [each.name, each] as const))("%s", async (name, statement) => {
    const runs = runsOf(statement, CASES[name] ?? [], {
      nullable: nullableOf(name),
      subjects: world.subjects,
    });
    const faults = new Set<string>();
    const effects: boolean[] = [];
    const compareAll = async (some: readonly Run[]) => {
      for (const run of some) {
        const { differences, hasEffect } = await compare(sides, statement, run);
        for (const each of differences) faults.add(`${each} [${textOf(run)}]`);
        effects.push(hasEffect);
      }
    };
    await compareAll(runs);
    const repeated = runs.filter(({ before }) => before === undefined);
    while (!statement.customPlan && effects.length < RUNS) await compareAll(repeated);
    for (const run of runs) {
      const wrong = await taskFaults(sides.distributed, statement, run);
      for (const each of wrong) faults.add(`${each} [${textOf(run)}]`);
    }
    expect([...faults]).toEqual([]);
    expect(effects.includes(true)).toBe(!WITHOUT_ROWS.has(name));
    if (!isWrite(statement))
      expect(tableDifferences(schema, sides.seeded, await sides.distributed.contents())).toEqual([]);
  });
});

const textOf = ({ params }: Run): string =>
  JSON.stringify(params, (_, value) => (typeof value === "bigint" ? String(value) : value)).slice(0, 200);

export type { Found };
