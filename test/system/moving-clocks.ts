// A system whose clocks a test moves: those of single processes, and that of PostgreSQL, whose functions for
// the time are shadowed in the database of the test. Called by flows.

import type { Stack, StackProcess } from "@annals/local";
import { createMigratedDatabase, eventually, ownerOf, type SharedStack } from "@annals/testing";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startConstellation } from "./constellation.ts";

const PRELOAD = join(import.meta.dirname, "moved-clock.mjs");

const SHADOWS = `
CREATE SCHEMA moved;
CREATE TABLE moved.clock (shift interval NOT NULL);
INSERT INTO moved.clock VALUES ('0');
CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE SECURITY DEFINER
  AS 'SELECT pg_catalog.clock_timestamp() + shift FROM moved.clock';
CREATE FUNCTION moved.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE SECURITY DEFINER
  AS 'SELECT pg_catalog.statement_timestamp() + shift FROM moved.clock';
CREATE FUNCTION moved.now() RETURNS timestamptz LANGUAGE sql STABLE SECURITY DEFINER
  AS 'SELECT pg_catalog.now() + shift FROM moved.clock';
GRANT USAGE ON SCHEMA moved TO PUBLIC;
`;

/** What the address gives takes precedence over the settings of a connection. */
const OPTIONS = "-c search_path=moved,pg_catalog";

export interface MovingClocks {
  readonly stack: Stack;
  /** Moves the clock of one process; by 0 it is again as all are. */
  readonly move: (process: StackProcess, seconds: number) => Promise<void>;
  /** Moves all clocks, that of PostgreSQL too. */
  readonly moveAll: (seconds: number) => Promise<void>;
  readonly isReady: (process: StackProcess) => Promise<boolean>;
  readonly stop: () => Promise<void>;
}

export async function startMovingClocks(
  shared: SharedStack,
  replicas: Partial<Record<"gateway" | "ledger", number>>,
): Promise<MovingClocks> {
  const folder = await mkdtemp(join(tmpdir(), "annals-clocks-"));
  const database = await createMigratedDatabase(shared.databaseUrl);
  const owner = ownerOf(database.url);
  await owner.query(SHADOWS);
  const shadowed = new URL(database.url);
  shadowed.searchParams.set("options", OPTIONS);
  const stack = await startConstellation({
    databaseUrl: shadowed.href,
    isMigrated: true,
    replicas,
    env: { every: { NODE_OPTIONS: `--import ${PRELOAD}`, TEST_CLOCKS: folder } },
  });
  const write = async (name: string, seconds: number) => {
    await writeFile(join(folder, "new"), String(seconds));
    await rename(join(folder, "new"), join(folder, name));
  };
  const isReady = async ({ adminUrl }: StackProcess) =>
    (await fetch(`${adminUrl}/readyz`)).status === 200;
  return {
    stack,
    isReady,
    move: (process, seconds) => {
      const { port } = new URL(process.adminUrl ?? "");
      return seconds === 0 ? rm(join(folder, port)) : write(port, seconds);
    },
    moveAll: async (seconds) => {
      const shift = "UPDATE moved.clock SET shift = $1::float8 * interval '1 second'";
      await owner.query(shift, [seconds]);
      // Each has seen that the database's clock has moved before its own does.
      for (const each of stack.processes.filter(
        ({ adminUrl, service }) => adminUrl !== undefined && service !== "gateway",
      ))
        await eventually(`${each.service} has seen it`, async () => !(await isReady(each)), 10_000);
      await write("all", seconds);
      const services = stack.processes.filter(({ adminUrl }) => adminUrl !== undefined);
      for (const each of services)
        await eventually(`${each.service} is ready`, () => isReady(each), 10_000);
    },
    stop: async () => {
      await stack.stop();
      await owner.close();
      await database.drop();
      await rm(folder, { recursive: true });
    },
  };
}
