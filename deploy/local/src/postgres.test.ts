// Guarantee: one server on one cluster, whatever an earlier start left there: an orphaned server, its
// children, a pid file that names an unrelated process. As root it also starts where PostgreSQL's user cannot
// reach the directory.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { Client } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { DataDirectory } from "./data-directory.ts";
import { startOrphanGuard } from "./orphan-guard.ts";
import { type ReservedPort, reserveFreePort } from "./ports.ts";
import { postgresSpec, prepareCluster } from "./postgres.ts";
import { findLocation, packagedBinaries, type PostgresLocation } from "./postgres-location.ts";
import { isAlive } from "./process-table.ts";
import { SupervisedProcess } from "./supervised-process.ts";
import { temporaryFolder } from "./testing/folders.ts";
import { query } from "./testing/query.ts";
import { waitUntil } from "./wait-until.ts";

/** Servers start and stop in these tests, on a machine that may be busy. Milliseconds. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const START_MS = 20_000;

interface Prepared {
  readonly directory: DataDirectory;
  readonly location: PostgresLocation;
  readonly url: string;
  readonly port: ReservedPort;
}

async function prepare(dataDir: string, ...where: string[]): Promise<Prepared> {
  const directory = DataDirectory.open(dataDir);
  const location = await findLocation(directory.path, ...where);
  const port = await reserveFreePort();
  onTestFinished(() => port.close());
  return { directory, location, port, url: await prepareCluster(location, directory, port.port) };
}

async function supervise({ location, directory, port }: Prepared): Promise<SupervisedProcess> {
  const guard = startOrphanGuard();
  const server = new SupervisedProcess(postgresSpec(location, directory, port), guard, () => {});
  onTestFinished(async () => {
    await server.stop();
    guard.close();
  });
  server.start();
  await server.waitReady(START_MS);
  return server;
}

/** A server without a supervisor, as a SIGKILL of the stack and of its guard leaves it. */
async function startOrphan({ location, directory, port }: Prepared): Promise<ChildProcess> {
  const { command, args, env, isReady } = postgresSpec(location, directory, port);
  await port.release();
  const orphan = spawn(command, args, {
    env: { ...env },
    stdio: "ignore",
    cwd: location.cluster,
    ...location.owner,
  });
  onTestFinished(() => void orphan.kill("SIGQUIT"));
  expect(await waitUntil(() => isReady(orphan.pid ?? 0), START_MS)).toBe(true);
  return orphan;
}

test("an orphaned server is shut down before the new one starts", async () => {
  const prepared = await prepare(temporaryFolder());
  const orphan = await startOrphan(prepared);
  await query(prepared.url, "create table kept (value int); insert into kept values (1)");
  const gone = once(orphan, "exit");
  const server = await supervise(prepared);
  expect(await gone).toEqual([0, null]);
  expect(server.pid()).not.toBe(orphan.pid);
  expect(await query(prepared.url, "select value from kept")).toEqual([{ value: 1 }]);
});

test("a pid file that names an unrelated process stops neither the start nor that process", async () => {
  const prepared = await prepare(temporaryFolder());
  const orphan = await startOrphan(prepared);
  orphan.kill("SIGKILL");
  await once(orphan, "exit");
  const unrelated = spawn("sleep", ["60"], {
    stdio: "ignore",
    cwd: "/",
    ...prepared.location.owner,
  });
  onTestFinished(() => void unrelated.kill("SIGKILL"));
  const file = join(prepared.location.cluster, "postmaster.pid");
  const [, ...rest] = readFileSync(file, "utf8").split("\n");
  writeFileSync(file, [unrelated.pid, ...rest].join("\n"));
  await supervise(prepared);
  expect(isAlive(unrelated.pid ?? 0)).toBe(true);
});

test("a child of a killed server that does not end by itself does not stop the next start", async () => {
  const prepared = await prepare(temporaryFolder());
  const server = await supervise(prepared);
  const killed = server.pid();
  const client = new Client({ connectionString: prepared.url });
  client.on("error", () => {});
  await client.connect();
  await client.query("create table kept as select 1 as value");
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const [{ pid: child } = { pid: 0 }] = rows;
  process.kill(child, "SIGSTOP");
  expect(server.kill("SIGKILL")).toBe(true);
  await server.exited();
  await server.waitReady(START_MS);
  expect(server.pid()).not.toBe(killed);
  expect(isAlive(child)).toBe(false);
  expect(await query(prepared.url, "select value from kept")).toEqual([{ value: 1 }]);
});

test("clusters that one process makes at once in one folder each get their own password", async () => {
  const system = join(temporaryFolder(), "system");
  const prepared = await Promise.all(
    ["one", "other"].map((name) => {
      // As root, PostgreSQL's user cannot reach this folder, so both clusters are in the system's.
      const hidden = join(temporaryFolder(), name);
      mkdirSync(hidden, { mode: 0o700 });
      return prepare(hidden, packagedBinaries(), system);
    }),
  );
  for (const each of prepared) {
    await supervise(each);
    expect(await query(each.url, "select 1 as one")).toEqual([{ one: 1 }]);
  }
});

test("a cluster that was incomplete when the start was killed is made again", async () => {
  const dataDir = temporaryFolder();
  mkdirSync(join(dataDir, "postgres.part/base"), { recursive: true });
  const prepared = await prepare(dataDir);
  await supervise(prepared);
  expect(await query(prepared.url, "select current_database() as name")).toEqual([
    { name: "annals" },
  ]);
});

test("binaries and data directory may be where PostgreSQL's user cannot reach them", async () => {
  // An ordinary user reaches everything, and the same start must work without a second location.
  const isRoot = process.getuid?.() === 0;
  const hidden = join(temporaryFolder(), "hidden");
  mkdirSync(hidden);
  const packaged = resolve(packagedBinaries(), "../..");
  for (const part of ["package.json", "native"]) {
    cpSync(join(packaged, part), join(hidden, part), { recursive: true, verbatimSymlinks: true });
  }
  chmodSync(hidden, 0o700);
  const system = join(temporaryFolder(), "system");
  const [prepared, beside] = await Promise.all([
    prepare(join(hidden, "data"), join(hidden, "native/bin"), system),
    // Another stack of this process, which copies the same binaries at the same time.
    findLocation(hidden, join(hidden, "native/bin"), system),
  ]);
  expect(beside.binaries).toBe(prepared.location.binaries);
  await supervise(prepared);
  expect(await query(prepared.url, "select 1 as one")).toEqual([{ one: 1 }]);
  expect(statSync(hidden).mode & 0o777).toBe(0o700);
  expect(prepared.location.cluster.startsWith(system)).toBe(isRoot);
  expect(existsSync(system)).toBe(isRoot);
  const again = await findLocation(prepared.directory.path, join(hidden, "native/bin"), system);
  expect(again).toEqual(prepared.location);
});
