// Appends events to the open file of the own folder, before track() returns. Called by spool-tracker.ts. It
// must never return true for an event of which less than a whole line was written.

import * as fs from "node:fs";
import { unref } from "../process-end.ts";
import { type Entry, type Folder, syncNow } from "./folder.ts";
import type { Sync } from "./settings.ts";

const SYNC_MS = 100;

export class Writer {
  readonly #sync: Sync;
  readonly #onError: (error: unknown) => void;
  #number = 0;
  #file: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What is being written, or undefined. */
  entry: Entry | undefined;

  constructor(sync: Sync, onError: (error: unknown) => void) {
    this.#sync = sync;
    this.#onError = onError;
  }

  /** Throws what the system says if the disk did not take the line. */
  append(folder: Folder, line: Buffer): void {
    const entry = this.entry ?? this.#create(folder);
    const file = this.#file as number;
    try {
      if (fs.writeSync(file, line) < line.length) throw full();
      if (this.#sync === "event") fs.fdatasyncSync(file);
    } catch (error) {
      // What was written of the line must not stay in front of others.
      try {
        fs.ftruncateSync(file, entry.bytes);
      } finally {
        this.end();
      }
      throw error;
    }
    entry.events += 1;
    entry.bytes += line.length;
    if (this.#sync === "batch") this.#syncSoon(folder, file, entry.events === 1);
  }

  /** A batch in memory has its number, too. */
  nextName(): string {
    this.#number += 1;
    return String(this.#number).padStart(10, "0");
  }

  /** Writes the next event to another file. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#file !== undefined) fs.closeSync(this.#file);
    this.#file = undefined;
    this.entry = undefined;
  }

  /** For another folder. */
  restart(): void {
    this.end();
    this.#number = 0;
  }

  #create(folder: Folder): Entry {
    const entry: Entry = { name: this.nextName(), state: "open", events: 0, bytes: 0 };
    this.#file = fs.openSync(folder.pathOf(entry), "wx", 0o600);
    this.entry = entry;
    folder.entries.push(entry);
    if (this.#sync === "event") syncNow(folder.path);
    return entry;
  }

  #syncSoon(folder: Folder, file: number, isNew: boolean): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // Another process may have claimed the folder.
      if (isNew) folder.sync().catch((error) => folder.exists && this.#onError(error));
      fs.fdatasync(file, (error) => {
        // A file that was closed meanwhile is synced when it is sealed.
        if (error !== null && error.code !== "EBADF") this.#onError(error);
      });
    }, SYNC_MS);
    unref(this.#timer);
  }
}

function full(): Error {
  return Object.assign(new Error("the disk did not take a whole line"), { code: "ENOSPC" });
}
