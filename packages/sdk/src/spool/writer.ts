// Appends events to the open file of the own folder, before track() returns. Called by spool-tracker.ts. It
// must never return true for an event of which less than a whole line was written.

import * as fs from "node:fs";
import { unref } from "../process-end.ts";
import { type Entry, type Folder, syncFile, syncNow } from "./folder.ts";
import type { Sync } from "./settings.ts";

const SYNC_MS = 100;

export class Writer {
  readonly #sync: Sync;
  readonly #onError: (error: unknown) => void;
  #number = 0;
  #file: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Files with lines that are not flushed. One that is complete may wait for hours until it is sealed. */
  #unflushed = new Set<Entry>();
  #isNameNew = false;
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
    if (this.#sync === "batch") this.#syncSoon(folder, entry);
  }

  /** A batch in memory has its number, too. */
  nextName(): string {
    this.#number += 1;
    return String(this.#number).padStart(10, "0");
  }

  /** Writes the next event to another file. */
  end(): void {
    if (this.#file !== undefined) fs.closeSync(this.#file);
    this.#file = undefined;
    this.entry = undefined;
  }

  /** For another folder. */
  restart(): void {
    this.end();
    this.#number = 0;
    // Who has claimed the folder flushes it.
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#unflushed.clear();
  }

  #create(folder: Folder): Entry {
    const entry: Entry = { name: this.nextName(), state: "open", events: 0, bytes: 0 };
    this.#file = fs.openSync(folder.pathOf(entry), "wx", 0o600);
    this.entry = entry;
    folder.entries.push(entry);
    this.#isNameNew = true;
    if (this.#sync === "event") syncNow(folder.path);
    return entry;
  }

  #syncSoon(folder: Folder, entry: Entry): void {
    this.#unflushed.add(entry);
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flush(folder);
    }, SYNC_MS);
    unref(this.#timer);
  }

  #flush(folder: Folder): void {
    const tell = (error: NodeJS.ErrnoException): void => {
      // It was sealed, which flushes it, or another process has claimed the folder.
      if (error.code !== "ENOENT") this.#onError(error);
    };
    for (const entry of this.#unflushed)
      if (entry.state === "open") syncFile(folder.pathOf(entry)).catch(tell);
    this.#unflushed.clear();
    if (this.#isNameNew) folder.sync().catch(tell);
    this.#isNameNew = false;
  }
}

function full(): Error {
  return Object.assign(new Error("the disk did not take a whole line"), { code: "ENOSPC" });
}
