// The folder of this process: appends events to it, or to memory if the disk does not take them, and makes
// another when the folder was claimed. Called by spool-tracker.ts.

import * as fs from "node:fs";
import { join } from "node:path";
import type { Clock } from "../clock.ts";
import { type Entry, Folder, syncNow } from "./folder.ts";
import { type Owner, ownerName, thisProcess } from "./owner.ts";
import type { SpoolSettings } from "./settings.ts";
import { Writer } from "./writer.ts";

export const TOUCH_MS = 20_000;

/** Bound of what waits in memory because the disk does not take it. */
const MEMORY_BYTES = 32 * 1024 * 1024;

export interface OwnFolderDeps {
  readonly settings: SpoolSettings;
  readonly clock: Clock;
  readonly isFull: (entry: Entry) => boolean;
  readonly onProblem: (error: unknown) => void;
  /** Called with a folder that another process has claimed. */
  readonly onLost: (folder: Folder) => void;
}

export class OwnFolder {
  readonly #deps: OwnFolderDeps;
  readonly #writer: Writer;
  #touched = 0;
  #isInMemory = false;
  owner: Owner = { account: null, key: null, ...thisProcess() };
  folder: Folder;

  constructor(deps: OwnFolderDeps) {
    this.#deps = deps;
    this.#writer = new Writer(deps.settings.sync, deps.onProblem);
    this.folder = this.#named();
  }

  get name(): string {
    return this.folder.owner;
  }

  /** On disk if it takes it, and else in memory. False if neither has space. */
  append(line: Buffer): boolean {
    try {
      this.#appendToDisk(line);
      this.#isInMemory = false;
      return true;
    } catch (error) {
      if (!this.#isInMemory) this.#deps.onProblem(error);
      this.#isInMemory = true;
      return this.#appendToMemory(line);
    }
  }

  /** The entry that takes the next event, if there is one. */
  get open(): Entry | undefined {
    const last = this.folder.entries.at(-1);
    return last?.state === "open" ? last : undefined;
  }

  /** Seals what was open: the next event begins another batch. */
  async seal(folder: Folder, entry: Entry): Promise<void> {
    if (this.#writer.entry === entry) this.#writer.end();
    if (entry.memory === undefined) await folder.seal(entry);
    else entry.state = "ready";
  }

  /** Tells other processes that this one lives. */
  touch(): void {
    this.#touched = this.#deps.clock.now();
    if (this.folder.exists) this.folder.touch(this.#touched);
  }

  async setOwner(known: Partial<Owner>): Promise<void> {
    this.owner = { ...this.owner, ...known };
    if (this.folder.exists) await this.folder.writeOwner(this.owner, this.#deps.clock.now());
  }

  #appendToDisk(line: Buffer): void {
    if (this.#deps.clock.now() - this.#touched >= TOUCH_MS) this.touch();
    do {
      if (!this.folder.isMade || !this.folder.exists) this.#make();
      const { entry } = this.#writer;
      if (entry && this.#deps.isFull(entry)) this.#writer.end();
      try {
        this.#writer.append(this.folder, line);
      } catch (error) {
        if (this.folder.exists) throw error;
      }
      // Who claims a folder renames it first, and so reads a line whose folder is still here after its write.
    } while (!this.folder.exists);
  }

  #appendToMemory(line: Buffer): boolean {
    const { entries } = this.folder;
    const inMemory = entries.reduce((sum, { bytes, memory }) => sum + (memory ? bytes : 0), 0);
    if (inMemory + line.length > MEMORY_BYTES) return false;
    let entry = this.open;
    if (entry?.memory === undefined || this.#deps.isFull(entry)) {
      entry = { name: this.#writer.nextName(), state: "open", events: 0, bytes: 0, memory: [] };
      entries.push(entry);
    }
    entry.memory?.push(line.toString("utf8", line.indexOf(" ") + 1, line.length - 1));
    entry.events += 1;
    entry.bytes += line.length;
    return true;
  }

  #make(): void {
    const before = this.folder;
    if (before.isMade) {
      this.folder = this.#named();
      this.#writer.restart();
      this.#deps.onLost(before);
    }
    const { path } = this.folder;
    const { dir, sync } = this.#deps.settings;
    const owner = join(path, "owner.json");
    fs.mkdirSync(path, { recursive: true, mode: 0o700 });
    fs.writeFileSync(owner, `${JSON.stringify(this.owner)}\n`, { mode: 0o600 });
    // Without this file, the folder is nobody's after a loss of power.
    if (sync !== "none") for (const each of [owner, path, dir]) syncNow(each);
    this.folder.isMade = true;
    this.touch();
  }

  #named(): Folder {
    const { clock, settings } = this.#deps;
    return new Folder(settings.dir, ownerName(clock.now()), settings.sync, true);
  }
}
