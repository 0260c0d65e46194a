// The data directory of a stack: its folders, its lock, its small files. Called by stack.ts. It
// must never let two stacks use one directory at once, and never write a secret that others may
// read.

import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { commandLine, hasVariable, isAlive, sendSignal, startIdentity } from "./process-table.ts";
import { waitUntil } from "./wait-until.ts";
import { errorCode } from "./outcomes.ts";

/** How long a leftover process of an earlier start may take to end by itself, in milliseconds. */
const ORPHAN_GRACE_MS = 3_000;
const ORPHAN_KILL_MS = 5_000;

/** Stale locks to remove before the start fails: each is of a start that took the lock and died. */
const LOCK_ATTEMPTS = 5;

export class DataDirectory {
  readonly path: string;
  readonly #lockText: string;

  private constructor(path: string, lockText: string) {
    this.path = path;
    this.#lockText = lockText;
  }

  /**
   * Makes the directory if it is absent and takes its lock. Throws one line when another stack holds the
   * lock or the directory cannot be written.
   */
  static open(path: string): DataDirectory {
    try {
      if (!existsSync(path)) {
        mkdirSync(path, { recursive: true });
        // Traversable whatever the umask: PostgreSQL's user has a folder in it. Secrets in it have mode 0600.
        chmodSync(path, 0o755);
      }
      for (const folder of ["run", "log"]) mkdirSync(join(path, folder), { recursive: true });
      const identity = startIdentity(process.pid) ?? "";
      const directory = new DataDirectory(path, `${process.pid} ${identity}\n`);
      directory.#lock();
      return directory;
    } catch (error) {
      const code = errorCode(error);
      throw code === undefined ? error : unwritable(path, code);
    }
  }

  run(file: string): string {
    return join(this.path, "run", file);
  }

  /** The folder of the authority and of the services' certificates. */
  get certificates(): string {
    return join(this.path, "certificates");
  }

  log(file: string): string {
    return join(this.path, "log", file);
  }

  /** Lets another stack use the directory. */
  close(): void {
    if (readText(this.#lockFile) === this.#lockText) rmSync(this.#lockFile, { force: true });
  }

  /** Writes a file atomically, readable by its owner only. */
  writeSecret(file: string, text: string): void {
    const part = `${file}.${process.pid}`;
    writeFileSync(part, text, { mode: 0o600 });
    renameSync(part, file);
  }

  /** Writes secrets by the names of their files. */
  writeFiles(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) this.writeSecret(join(this.path, name), text);
  }

  /**
   * The first API key: `given` when there is one, else the stored one, else a new one. It is stored from
   * now on.
   */
  bootstrapKey(given: string | undefined, mint: () => string): string {
    const file = join(this.path, "bootstrap-key");
    const kept = readText(file)?.trim();
    const key = given ?? (kept || mint());
    if (key !== kept) this.writeSecret(file, `${key}\n`);
    return key;
  }

  /**
   * The path of a file of secret keys, with one key if it is made. Losing `webhook-secret-key` loses the
   * signing secrets that it seals.
   */
  keyFile(name: "admission-secret" | "webhook-secret-key", newKey: () => Uint8Array): string {
    return this.#secretFile(name, () => `local-1:${Buffer.from(newKey()).toString("base64")}\n`);
  }

  /** The path of the file with the key of the log. Without it, keys refuses to start once it has signed. */
  logKeyFile(newKey: () => Uint8Array): string {
    return this.#secretFile("log-key", () => `${Buffer.from(newKey()).toString("base64")}\n`);
  }

  #secretFile(name: string, newText: () => string): string {
    const file = join(this.path, name);
    if (!existsSync(file)) this.writeSecret(file, newText());
    return file;
  }

  /**
   * Stops the processes that an earlier stack of this directory left, by their pid files. `mark` gives the
   * text by which the command line of a named process is recognised.
   */
  async clearOrphans(mark: (name: string) => string): Promise<string[]> {
    const cleared = readdirSync(join(this.path, "run"))
      .filter((file) => file.endsWith(".pid") && file !== "stack.pid")
      .map((file) => this.#clearOrphan(file, mark(file.slice(0, -".pid".length))));
    return (await Promise.all(cleared)).filter((name) => name !== undefined);
  }

  async #clearOrphan(file: string, mark: string): Promise<string | undefined> {
    const pid = Number(readText(this.run(file)));
    const isOurs = () =>
      isAlive(pid) &&
      commandLine(pid).includes(mark) &&
      hasVariable(pid, "ANNALS_DATA_DIR", this.path) !== false;
    const wasThere = pid > 0 && isOurs();
    if (wasThere) {
      sendSignal(pid, "SIGTERM");
      if (!(await waitUntil(() => !isOurs(), ORPHAN_GRACE_MS))) {
        sendSignal(pid, "SIGKILL");
        await waitUntil(() => !isOurs(), ORPHAN_KILL_MS);
      }
    }
    rmSync(this.run(file), { force: true });
    return wasThere ? file.slice(0, -".pid".length) : undefined;
  }

  get #lockFile(): string {
    return this.run("stack.pid");
  }

  #lock(): void {
    const mine = this.run(`stack.pid.${process.pid}`);
    writeFileSync(mine, this.#lockText);
    try {
      for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
        // Making a link is atomic: no process reads an incomplete lock.
        if (tryLink(mine, this.#lockFile)) return;
        const holder = readText(this.#lockFile);
        if (holder !== undefined && isHeld(holder)) throw inUse(this.path, holder);
        this.#removeStale(holder);
      }
      throw new Error(
        `${this.#lockFile} cannot be taken: other stacks start in the same directory`,
      );
    } finally {
      rmSync(mine, { force: true });
    }
  }

  #removeStale(stale: string | undefined): void {
    if (stale === undefined) return;
    const aside = this.run(`stack.pid.stale.${process.pid}`);
    try {
      renameSync(this.#lockFile, aside);
    } catch {
      return; // Another start removed it first.
    }
    // Between the read and the rename another start may have taken the lock: restore it.
    if (readText(aside) !== stale) tryLink(aside, this.#lockFile);
    rmSync(aside, { force: true });
  }
}

function isHeld(holder: string): boolean {
  const [pid = "", ...identity] = holder.trim().split(" ");
  return isAlive(Number(pid)) && (startIdentity(Number(pid)) ?? "") === identity.join(" ");
}

function inUse(path: string, holder: string): Error {
  const pid = holder.split(" ")[0];
  return new Error(
    `${path} is in use by the stack with process id ${pid}: stop it, or set ANNALS_DATA_DIR`,
  );
}

function unwritable(path: string, code: string): Error {
  return new Error(
    `the data directory ${path} cannot be written (${code}): ` +
      "set ANNALS_DATA_DIR to a directory that this user may write",
  );
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
