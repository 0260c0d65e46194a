// A disk of PostgreSQL's that can be filled and freed: two small file systems in memory where mounting is
// allowed, one for everything and one for the largest table; elsewhere a bound on the size of a file, which
// the kernel keeps for a user without any rights. Called by disk-full.test.ts. It must never fill what others
// use, nor leave a file system mounted.

import type { Stack } from "@annals/local";
import type { TestDatabase } from "@annals/testing";
import { execFile, spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { chmod, open, readdir, readFile, stat, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { processesOf } from "../system/testbed.ts";

/** What can no longer be written: the largest table alone, or all that PostgreSQL writes. */
export type Full = "a table" | "everything";

export interface SmallDisk {
  /** For the system that is to live on it. */
  readonly dataDir: string;
  /** What PostgreSQL writes into its log when it is full, after the severity and before the line's end. */
  readonly complaint: string;
  /** Called once, when the system is there. */
  prepare(stack: Stack, owner: Pick<TestDatabase, "query">): Promise<void>;
  /** Leaves little room: load makes it full. */
  fill(what: Full): Promise<void>;
  /** Makes room. Nothing else is done. */
  free(): Promise<void>;
  /** When the system has stopped. */
  remove(): Promise<void>;
}

const run = promisify(execFile);
/** Programs of the system, in every Linux. */
const MOUNT = "mount";
const UNMOUNT = "umount";
const MIB = 1024 * 1024;
const SIZE_MIB = { everything: 320, table: 160 } as const;
/** The room that load then takes: less than a segment of the write-ahead log, which has 16 MiB. */
const LEFT_BYTES = 12 * MIB;
const TABLE_LEFT_BYTES = 4 * MIB;
/** Without mounting: a segment of the log may have so much and a table no more; and then nor the log. */
const TABLE_FILE_BYTES = 17 * MIB;
const LEAST_FILE_BYTES = MIB;

export const WAYS = canMount()
  ? (["a small file system", "a small bound on files"] as const)
  : (["a small bound on files"] as const);

function canMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), "annals-mount-"));
  const isMounted = spawnSync(MOUNT, ["-t", "tmpfs", "none", folder]).status === 0;
  if (isMounted) spawnSync(UNMOUNT, [folder]);
  rmSync(folder, { recursive: true });
  return isMounted;
}

export function openSmallDisk(way: (typeof WAYS)[number]): Promise<SmallDisk> {
  return way === "a small file system" ? mounted() : Promise.resolve(bounded());
}

async function mounted(): Promise<SmallDisk> {
  const folder = newFolder();
  const everything = await mount(join(folder, "everything"), SIZE_MIB.everything);
  const table = await mount(join(folder, "table"), SIZE_MIB.table);
  const dataDir = join(folder, "data");
  mkdirSync(dataDir);
  // PostgreSQL's files are put where this leads.
  symlinkSync(join(everything, "cluster"), join(dataDir, "postgres"));
  const ballasts = { everything: join(everything, "ballast"), "a table": join(table, "ballast") };
  return {
    dataDir,
    complaint: "No space left on device",
    prepare: async (_, owner) => {
      const place = join(table, "space");
      mkdirSync(place, { mode: 0o700 });
      const { uid, gid } = statSync(join(everything, "cluster"));
      chownSync(place, uid, gid);
      await owner.query(`CREATE TABLESPACE small LOCATION '${place}'`);
      await owner.query("ALTER TABLE ledger.events SET TABLESPACE small");
      // The log needs room for each new segment, and not only for more than it ever had.
      await owner.query("ALTER SYSTEM SET wal_recycle = off");
      await owner.query("SELECT pg_reload_conf()");
    },
    fill: async (what) => {
      const file = ballasts[what];
      const { bavail, bsize } = await statfs(join(file, ".."));
      const left = what === "everything" ? LEFT_BYTES : TABLE_LEFT_BYTES;
      const handle = await open(file, "w");
      const zeros = Buffer.alloc(MIB);
      for (let bytes = bavail * bsize - left; bytes > 0; bytes -= MIB) await handle.write(zeros);
      await handle.close();
    },
    free: async () => {
      for (const file of Object.values(ballasts)) rmSync(file, { force: true });
    },
    remove: async () => {
      await run(UNMOUNT, [everything]);
      await run(UNMOUNT, [table]);
      rmSync(folder, { recursive: true });
    },
  };
}

async function mount(folder: string, sizeMib: number): Promise<string> {
  mkdirSync(folder);
  await run(MOUNT, ["-t", "tmpfs", "-o", `size=${sizeMib}m,mode=0755`, "annals-test", folder]);
  return folder;
}

function bounded(): SmallDisk {
  const folder = newFolder();
  let postgres = (): number | undefined => undefined;
  const bound = (bytes: number | "unlimited") => boundFiles(postgres(), bytes);
  return {
    dataDir: join(folder, "data"),
    complaint: "File too large",
    prepare: async (stack) => {
      const [first] = processesOf(stack, "postgres");
      postgres = () => first?.pid();
    },
    fill: (what) => bound(what === "everything" ? LEAST_FILE_BYTES : TABLE_FILE_BYTES),
    free: () => bound("unlimited"),
    remove: async () => rmSync(folder, { recursive: true }),
  };
}

/** Anyone may go through it: PostgreSQL's user lives in it. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "annals-disk-"));
  void chmod(folder, 0o755);
  return folder;
}

/** The bound is of the server's first process, which its children inherit, and of those that are there. */
async function boundFiles(first: number | undefined, bytes: number | "unlimited"): Promise<void> {
  // Between its end and its next start it has no bound.
  const owner = first && (await stat(`/proc/${first}`).catch(() => undefined));
  if (!owner) return;
  const { uid, gid } = owner;
  for (const pid of [first, ...(await childrenOf(first))]) {
    // As their own user: that is allowed everywhere.
    const bounding = run("prlimit", [`--pid=${pid}`, `--fsize=${bytes}:`], { uid, gid });
    await bounding.catch((error) => {
      if (existsSync(`/proc/${pid}`)) throw error;
    });
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const children: number[] = [];
  for (const pid of pids) {
    const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    // After the name in brackets: the state, the parent.
    if (Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]) === parent)
      children.push(Number(pid));
  }
  return children;
}
