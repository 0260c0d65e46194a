// PostgreSQL 18 for one stack, from the binaries that come with the packages. Called by stack.ts.
// It must never run two servers on one cluster, turn fsync off, listen beyond the loopback
// interface, or leave an incomplete cluster.

import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";
import type { DataDirectory } from "./data-directory.ts";
import { LOOPBACK, type ReservedPort } from "./ports.ts";
import { makeOwnedFolder, type PostgresLocation } from "./postgres-location.ts";
import { allProcesses, commandLine, isAlive, sendSignal } from "./process-table.ts";
import type { ProcessSpec } from "./supervised-process.ts";
import { waitUntil } from "./wait-until.ts";
import { errorCode, exitCode } from "./outcomes.ts";

/**
 * The major version of the packages; a cluster of another one needs a migration that this stack
 * does not do.
 */
const MAJOR_VERSION = "18";
/** Role that owns the database, and the database's name. */
const ROLE = "annals";
const DATABASE = "annals";

const MIB = 1024 ** 2;
const MAX_SHARED_BUFFERS_MIB = 1_024;

const STOP_GRACE_MS = 15_000;
const ORPHAN_STOP_MS = 10_000;
const ENVIRONMENT = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/**
 * Lines of postmaster.pid, counted from 0: the process id, and the state (PostgreSQL's pidfile.h).
 */
const PID_LINE = 0;
const STATE_LINE = 7;
/** A standby takes connections too, for what only reads. */
const READY: ReadonlySet<string | undefined> = new Set(["ready", "standby"]);

/** Above the most that Linux (2^22) and macOS (99,999) give to a process. */
const IMPOSSIBLE_PID = 2 ** 30;

/** Makes the cluster unless it exists, and returns the URL of the database for its owner. */
export async function prepareCluster(
  location: PostgresLocation,
  directory: DataDirectory,
  port: number,
): Promise<string> {
  const passwordFile = join(directory.path, "database-password");
  if (!existsSync(location.cluster)) {
    const password = randomBytes(24).toString("hex");
    directory.writeSecret(passwordFile, password);
    await makeCluster(location, directory, password);
  } else {
    refuseOtherVersion(location.cluster);
  }
  const password = readFileSync(passwordFile, "utf8").trim();
  return `postgres://${ROLE}:${password}@${LOOPBACK}:${port}/${DATABASE}`;
}

function refuseOtherVersion(cluster: string): void {
  const version = readFileSync(join(cluster, "PG_VERSION"), "utf8").trim();
  if (version === MAJOR_VERSION) return;
  throw new Error(
    `${cluster} was created by PostgreSQL ${version}, but this is PostgreSQL ${MAJOR_VERSION}`,
  );
}

/** How the server of a location is run and watched. */
export function postgresSpec(
  location: PostgresLocation,
  directory: DataDirectory,
  port: ReservedPort,
): ProcessSpec {
  return {
    name: "postgres-1",
    command: serverCommand(location),
    args: ["-D", location.cluster, ...serverOptions(location.cluster, port.port)],
    env: ENVIRONMENT,
    cwd: location.cluster,
    owner: location.owner,
    // SIGINT is the fast shutdown: sessions are ended, the data is written. SIGTERM would wait for
    // every client.
    stopSignal: "INT",
    lastSignal: "SIGQUIT",
    stopGraceMs: STOP_GRACE_MS,
    pidFile: directory.run("postgres-1.pid"),
    logFile: directory.log("postgres-1.log"),
    beforeStart: async () => {
      await endOrphan(location.cluster);
      await endChildren(location);
      await port.release();
    },
    isReady: async (pid) => {
      const lines = postmasterFile(location.cluster);
      return Number(lines[PID_LINE]) === pid && READY.has(lines[STATE_LINE]?.trim());
    },
  };
}

/** Stops a server that an earlier stack left on the cluster; replaces the id of an unrelated process. */
async function endOrphan(cluster: string): Promise<void> {
  const pid = Number(postmasterFile(cluster)[PID_LINE]);
  if (!(pid > 0)) return;
  const isServer = () => isAlive(pid) && commandLine(pid).includes(cluster);
  if (!isServer()) return disownPid(cluster);
  for (const signal of ["SIGINT", "SIGQUIT"] as const) {
    if (isServer()) sendSignal(pid, signal);
    if (await waitUntil(() => !isServer(), ORPHAN_STOP_MS)) return;
  }
  throw new Error(
    `the PostgreSQL with process id ${pid} still runs on ${cluster} and does not stop`,
  );
}

/**
 * Kills the children of a server whose first process was killed. They end by themselves, except one that
 * waits for a lock whose holder was killed too: it waits permanently, and PostgreSQL does not start while it
 * is there. The next start recovers all that was committed from the log.
 */
async function endChildren(location: PostgresLocation): Promise<void> {
  const titles = [
    `postgres: ${clusterName(location.cluster)}: `,
    // A child that was just forked and has no title yet.
    `${serverCommand(location)} -D ${location.cluster} `,
  ];
  const children = allProcesses().filter((pid) => {
    const line = commandLine(pid);
    return titles.some((title) => line.startsWith(title));
  });
  for (const pid of children) sendSignal(pid, "SIGKILL");
  await waitUntil(() => !children.some(isAlive), ORPHAN_STOP_MS);
}

const serverCommand = ({ binaries }: PostgresLocation): string => join(binaries, "postgres");

/** What PostgreSQL puts into the titles of its processes, by which they are found. */
function clusterName(cluster: string): string {
  return createHash("sha256").update(cluster).digest("hex").slice(0, 16);
}

/**
 * PostgreSQL refuses to start while the process id in its pid file is in use, even by an unrelated process or
 * by a zombie. So the id is replaced and the file kept: by its shared memory line PostgreSQL knows that no
 * process of the dead server still writes.
 */
function disownPid(cluster: string): void {
  const [, ...rest] = postmasterFile(cluster);
  writeFileSync(join(cluster, "postmaster.pid"), [IMPOSSIBLE_PID, ...rest].join("\n"));
}

async function makeCluster(
  location: PostgresLocation,
  directory: DataDirectory,
  password: string,
): Promise<void> {
  // Made under another name and renamed when complete: a start that is killed in between leaves no
  // cluster.
  const part = `${location.cluster}.part`;
  makeOwnedFolder(part, location.owner);
  // Named after its cluster: one process may make several clusters at once, in one folder.
  const passwordFile = `${part}.password`;
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (location.owner !== undefined) chownSync(passwordFile, location.owner.uid, location.owner.gid);
  try {
    const options = [
      "-E",
      "UTF8",
      "--locale=C",
      "-A",
      "scram-sha-256",
      "--no-instructions",
      "-U",
      ROLE,
    ];
    await runTool(
      location,
      directory,
      "initdb",
      ["-D", part, ...options, `--pwfile=${passwordFile}`],
      "",
    );
  } finally {
    rmSync(passwordFile, { force: true });
  }
  await runTool(
    location,
    directory,
    "postgres",
    ["--single", "-D", part, "postgres"],
    `CREATE DATABASE ${DATABASE}\n`,
  );
  renameSync(part, location.cluster);
}

async function runTool(
  location: PostgresLocation,
  directory: DataDirectory,
  tool: "initdb" | "postgres",
  args: readonly string[],
  input: string,
): Promise<void> {
  const env = ENVIRONMENT;
  const child = spawn(join(location.binaries, tool), args, { cwd: "/", env, ...location.owner });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes) => (output += String(bytes)));
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const code = await exitCode(child);
  writeFileSync(directory.log("postgres-1.log"), output, { flag: "a", mode: 0o640 });
  // Single-user mode ends with 0 even when the statement failed.
  if (code !== 0 || /\b(ERROR|FATAL|PANIC):/.test(output))
    throw new Error(`${tool} failed:\n${output.trim()}`);
}

/** A quarter of the memory and at most 1 GiB, more than local work needs. PostgreSQL takes it as needed. */
function sharedBuffersMib(): number {
  return Math.min(MAX_SHARED_BUFFERS_MIB, Math.floor(totalmem() / MIB / 4));
}

/** The settings of docs/operators/database.md for a busy system, such as a load test. */
function serverOptions(cluster: string, port: number): string[] {
  const options = {
    cluster_name: clusterName(cluster),
    listen_addresses: LOOPBACK,
    port,
    // Sockets in a folder of files would need a path of under 108 characters; nothing here uses
    // them.
    unix_socket_directories: "",
    max_connections: 200,
    shared_buffers: `${sharedBuffersMib()}MB`,
    max_wal_size: "8GB",
    timezone: "UTC",
    log_timezone: "UTC",
    log_checkpoints: "off",
  };
  return Object.entries(options).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

function postmasterFile(cluster: string): string[] {
  try {
    return readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}
