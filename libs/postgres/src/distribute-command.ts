// The command `distribute` of a service with distributed tables. `annals distribute` runs those of all
// services. By default it prints what it would do.

import type { CommandContext, databaseSettings } from "@annals/chassis";
import { command, flag, option } from "@annals/cli";
import type { DistributedTable } from "./distribute-catalog.ts";
import { type DistributeOptions, type Distribution, distribute } from "./distribute.ts";

const MAX_SHARDS = 64_000;

const OPTIONS = {
  apply: flag("Distribute the tables; without it the plan is printed"),
  copy: flag("Also distribute tables with rows: they are locked while the rows are copied"),
  shards: option("<n>", "Number of shards of each table, fixed for good (default 32)", asShards),
};

export function distributeCommand({
  schema,
  servesAnywhere,
}: Pick<DistributeOptions, "schema" | "servesAnywhere">) {
  return command(
    {
      name: "distribute",
      summary: "Distribute the tables of accounts over the workers of a Citus cluster",
      options: OPTIONS,
    },
    async ({ apply, copy, shards }, { config }: CommandContext<typeof databaseSettings>) => {
      const connectionString = config.databaseUrl;
      const found = await distribute({
        connectionString,
        schema,
        servesAnywhere,
        shards,
        copies: copy,
        applies: apply,
      });
      process.stdout.write(linesOf(found));
    },
  );
}

function asShards(text: string): number {
  const shards = Number(text);
  if (/^\d+$/.test(text) && shards >= 1 && shards <= MAX_SHARDS) return shards;
  throw new Error(`must be a number from 1 to ${MAX_SHARDS}`);
}

function linesOf({ already, applied, schema, shards, workers, ...found }: Distribution): string {
  const { copied, functions, reached, roles, tables } = found;
  const changes = [
    ...tables.map(tableLine),
    ...copied.map((name) => `  table ${name}: a copy on each server`),
    ...reached.map((name) => `  table ${name}: on the coordinator, where each server reaches it`),
    ...functions.map((signature) => `  function ${signature.replace(/\(.*/, "")}`),
    ...roles.map((role) => `  role ${role}: LOGIN, because servers connect to each other as it`),
  ];
  if (changes.length === 0)
    return `${schema}: nothing to do, ${already.length} tables are distributed\n`;
  const what = applied ? "distributed over" : "to distribute over";
  const first = `${schema}: ${tables.length} tables ${what} ${workers} workers, ${shards} shards each\n`;
  const last = applied ? "" : "  nothing was changed: --apply does it\n";
  return `${first}${changes.map((line) => `${line}\n`).join("")}${last}`;
}

function tableLine({ has_rows: hasRows, name }: DistributedTable): string {
  return `  table ${name}${hasRows ? " with rows: needs --copy" : ""}`;
}
