// One owner's folder of a spool: its batches as files (docs/spool-format.md). Called by spool-tracker.ts and
// claims.ts. A file must never be deleted before what replaces it is on disk.

import { closeSync, constants, existsSync, fsyncSync, openSync, utimesSync } from "node:fs";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { lineOf, type Lines, readLines, readSealed } from "./lines.ts";
import type { Owner } from "./owner.ts";
import type { Sync } from "./settings.ts";

type Kept = "refused" | "unconfirmed" | "damaged";

export interface Entry {
  /** `0000000007`, or `0000000007-1` after a refusal. */
  readonly name: string;
  state: "open" | "ready" | "sent";
  events: number;
  bytes: number;
  /** When the first attempt began after which it may be stored. */
  sentAt?: number | undefined;
  /** The events themselves, if the disk did not take them. */
  memory?: string[];
}

const PENDING = /^(\d{10}(?:-[12])*)\.(open|ready|sent)$/;
const OWNER = "owner.json";

export class Folder {
  readonly path: string;
  /** The first owner's name, with which keys begin. */
  readonly owner: string;
  readonly entries: Entry[] = [];
  readonly #sync: Sync;

  /** Whether this client tracked its events here. */
  readonly isOwn: boolean;
  /** Whether the folder is there, with its `owner.json`. */
  isMade = false;

  constructor(dir: string, name: string, sync: Sync, isOwn = false) {
    this.path = join(dir, name);
    this.owner = name.split("~", 1)[0] ?? name;
    this.#sync = sync;
    this.isOwn = isOwn;
  }

  get exists(): boolean {
    return existsSync(this.path);
  }

  keyOf({ name }: Entry): string {
    return `${this.owner}-${name}`;
  }

  pathOf({ name, state }: Entry): string {
    return join(this.path, `${name}.${state}`);
  }

  /** Tells other processes that the owner lives, or with the time 0 that it does not. */
  touch(now: number): void {
    utimesSync(join(this.path, OWNER), now / 1_000, now / 1_000);
  }

  async writeOwner(owner: Owner, now: number): Promise<void> {
    await this.#write(OWNER, Buffer.from(`${JSON.stringify(owner)}\n`));
    this.touch(now);
  }

  /** Lists the batches of an earlier owner. A torn last line is cut: its track() did not return. */
  async load(): Promise<void> {
    const files = (await fs.readdir(this.path)).toSorted();
    const names = new Set(files.flatMap((file) => PENDING.exec(file)?.[1] ?? []));
    for (const file of files) {
      const [, name = "", state] = PENDING.exec(file) ?? [];
      const path = join(this.path, file);
      if (file.endsWith(".tmp")) await fs.rm(path, { force: true });
      if (state === undefined) continue;
      // The request of its parent is repeated first, and makes it again.
      if (hasParent(name, names)) await fs.rm(path, { force: true });
      else await this.#loadEntry({ name, state: state as Entry["state"], events: 0, bytes: 0 });
    }
  }

  async #loadEntry(entry: Entry): Promise<void> {
    const path = this.pathOf(entry);
    const data = await fs.readFile(path);
    const { damaged, texts, whole } = entry.state === "open" ? readLines(data) : readSealed(data);
    if (entry.state === "sent") entry.sentAt = (await fs.stat(path)).mtimeMs;
    if (entry.state === "open") {
      if (whole < data.length) await fs.truncate(path, whole);
      await this.seal(entry);
    }
    entry.events = texts.length + damaged.length;
    entry.bytes = whole;
    this.entries.push(entry);
  }

  async read(entry: Entry): Promise<Lines> {
    const { memory } = entry;
    if (memory !== undefined) return { texts: memory, damaged: [], whole: entry.bytes };
    return readSealed(await fs.readFile(this.pathOf(entry)));
  }

  /** Makes an open file one that never changes again. */
  async seal(entry: Entry): Promise<void> {
    if (this.#sync !== "none") await syncFile(this.pathOf(entry));
    await this.#rename(entry, "ready");
  }

  async markSent(entry: Entry, began: number): Promise<void> {
    if (entry.memory === undefined) {
      await fs.utimes(this.pathOf(entry), began / 1_000, began / 1_000);
      await this.#rename(entry, "sent");
    }
    entry.sentAt = began;
  }

  /** Certainly no attempt has stored it. */
  async markUnsent(entry: Entry): Promise<void> {
    if (entry.memory === undefined) await this.#rename(entry, "ready");
    entry.sentAt = undefined;
  }

  /** Puts one or two batches in the place of one of which nothing is stored. Empty ones are left out. */
  async replace(entry: Entry, parts: readonly (readonly string[])[]): Promise<void> {
    const made: Entry[] = [];
    for (const [at, texts] of parts.entries()) {
      if (texts.length === 0) continue;
      const name = `${entry.name}-${at + 1}`;
      const lines = Buffer.concat(texts.map(lineOf));
      if (entry.memory === undefined) await this.#write(`${name}.ready`, lines);
      const memory = entry.memory && { memory: [...texts] };
      made.push({ name, state: "ready", events: texts.length, bytes: lines.length, ...memory });
    }
    await this.remove(entry);
    this.entries.unshift(...made);
  }

  /** Keeps lines for a person. Resolves to their bytes. */
  async keep(entry: Entry, as: Kept, lines: readonly Buffer[]): Promise<number> {
    if (entry.memory !== undefined) return 0;
    const data = Buffer.concat([...lines]);
    await this.#write(`${entry.name}.${as}`, data);
    return data.length;
  }

  async keepRefused(entry: Entry, texts: readonly string[]): Promise<number> {
    return this.keep(entry, "refused", texts.map(lineOf));
  }

  /** Keeps the whole file for a person. */
  async keepFile(entry: Entry, as: "unconfirmed" | "damaged"): Promise<void> {
    if (entry.memory === undefined) {
      await fs.rename(this.pathOf(entry), join(this.path, `${entry.name}.${as}`));
      await this.sync();
    }
    this.forget(entry);
  }

  /** The names of its files are on disk then. */
  async sync(): Promise<void> {
    if (this.#sync !== "none") await syncFile(this.path);
  }

  async remove(entry: Entry): Promise<void> {
    if (entry.memory === undefined) await fs.rm(this.pathOf(entry), { force: true });
    this.forget(entry);
  }

  forget(entry: Entry): void {
    const at = this.entries.indexOf(entry);
    if (at >= 0) this.entries.splice(at, 1);
  }

  /** Deletes the folder if no file is left. One with files for a person stays. */
  async removeIfEmpty(): Promise<void> {
    const files = await fs.readdir(this.path).catch(() => ["gone"]);
    if (files.some((file) => file !== OWNER)) return;
    await fs.rm(join(this.path, OWNER), { force: true });
    await fs.rmdir(this.path).catch(() => {});
  }

  async #rename(entry: Entry, state: "ready" | "sent"): Promise<void> {
    const from = this.pathOf(entry);
    await fs.rename(from, this.pathOf({ ...entry, state }));
    entry.state = state;
    await this.sync();
  }

  async #write(name: string, data: Buffer): Promise<void> {
    const path = join(this.path, name);
    const file = await fs.open(`${path}.tmp`, "w", 0o600);
    try {
      await file.writeFile(data);
      if (this.#sync !== "none") await file.sync();
    } finally {
      await file.close();
    }
    await fs.rename(`${path}.tmp`, path);
    await this.sync();
  }
}

/** Whether a batch that it is a part of is there, too. */
function hasParent(name: string, names: ReadonlySet<string>): boolean {
  const parts = name.split("-");
  return parts.some((_, at) => at > 0 && names.has(parts.slice(0, at).join("-")));
}

/** Flushes a file or a folder before it returns. */
export function syncNow(path: string): void {
  const file = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Flushes a file or a folder. */
export async function syncFile(path: string): Promise<void> {
  const file = await fs.open(path, constants.O_RDONLY);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Whether a folder has batches that wait to be sent, or nothing, and so can be deleted. */
export async function isClaimable(path: string): Promise<boolean> {
  const files = (await fs.readdir(path)).filter((file) => file !== OWNER);
  return files.length === 0 || files.some((file) => PENDING.test(file));
}
