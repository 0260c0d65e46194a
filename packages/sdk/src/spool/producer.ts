// The numbers of a producer: one more for each accepted event, kept in a file of the spool's folder over
// restarts. Called by spool-tracker.ts. It must never give one number to two events, and leave out none.

import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import type { Sending } from "../batch.ts";
import type { Clock } from "../clock.ts";
import { isGone, thisProcess } from "./owner.ts";

/** `context.producer` of an event. */
export interface ProducerNumber {
  readonly id: string;
  readonly n: number;
  readonly dropped: number;
  readonly after?: number;
}

interface State extends ReturnType<typeof thisProcess> {
  readonly n: number;
  readonly dropped: number;
}

/** Bytes of the file, which is written in one piece. */
const SIZE = 512;
const FILE = /^(.+)-([0-9a-f]{12})(?:~[0-9a-f]{12})?\.producer$/;

export class Producer {
  readonly #dir: string;
  readonly #name: string;
  readonly #now: () => number;
  readonly #process = thisProcess();
  #path = "";
  #file: number | undefined;
  #id = "";
  #n = 0;
  #dropped = 0;
  /** The last number of the process before, until an event has said it. */
  #after: number | undefined;

  constructor(dir: string, name: string, now: () => number) {
    this.#dir = dir;
    this.#name = name;
    this.#now = now;
  }

  /** What the next event has, if it is accepted. */
  next(): ProducerNumber {
    if (this.#file === undefined || !fs.existsSync(this.#path)) this.#open();
    const given = { id: this.#id, dropped: this.#dropped };
    const after = this.#after;
    // A process that was killed may have given one number more than it has noted.
    return after === undefined ? { ...given, n: this.#n + 1 } : { ...given, n: this.#n + 2, after };
  }

  accept({ n }: ProducerNumber): void {
    this.#n = n;
    this.#after = undefined;
    this.#write();
  }

  drop(events: number): void {
    this.#dropped += events;
    if (this.#file !== undefined) this.#write();
  }

  /** Tells other processes that this one lives, or with the time 0 that they may continue its numbers. */
  touch(now = this.#now()): void {
    if (this.#file !== undefined) fs.futimesSync(this.#file, now / 1_000, now / 1_000);
  }

  close(): void {
    if (this.#file === undefined) return;
    this.touch(0);
    fs.closeSync(this.#file);
    this.#file = undefined;
  }

  /** Continues the numbers of a process that is gone, or begins new ones. */
  #open(): void {
    if (this.#file !== undefined) fs.closeSync(this.#file);
    this.#file = undefined;
    fs.mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    const own = randomBytes(6).toString("hex");
    if (fs.readdirSync(this.#dir).some((file) => this.#claim(file, own)))
      this.#file = fs.openSync(this.#path, "r+");
    else {
      this.#id = `${this.#name}-${own}`;
      this.#n = 0;
      this.#after = undefined;
      this.#path = join(this.#dir, `${this.#id}.producer`);
      this.#file = fs.openSync(this.#path, "wx", 0o600);
    }
    this.#write();
  }

  /** Whether the file has numbers of this name that are now this process's: the rename decides. */
  #claim(file: string, own: string): boolean {
    const [, name, slot = ""] = FILE.exec(file) ?? [];
    if (name !== this.#name) return false;
    const path = join(this.#dir, file);
    const to = join(this.#dir, `${name}-${slot}~${own}.producer`);
    try {
      const state = JSON.parse(fs.readFileSync(path, "utf8")) as State;
      if (!isGone(state, fs.statSync(path).mtimeMs, this.#now())) return false;
      fs.renameSync(path, to);
      this.#path = to;
      this.#id = `${name}-${slot}`;
      this.#n = this.#after = state.n;
      this.#dropped += state.dropped;
      return true;
    } catch {
      // Another process was faster, or it is being made.
      return false;
    }
  }

  #write(): void {
    const state: State = { n: this.#n, dropped: this.#dropped, ...this.#process };
    fs.writeSync(this.#file as number, `${JSON.stringify(state).padEnd(SIZE - 1)}\n`, 0);
    this.touch();
  }
}

/** Counts what is dropped. */
export function counting(sending: Sending, producer: Producer | undefined): Sending {
  if (producer === undefined) return sending;
  return {
    progress: () => sending.progress(),
    deliver: (batch) => sending.deliver(batch),
    repeat: (call) => sending.repeat(call),
    report: (drop) => {
      producer.drop(drop.events.length);
      sending.report(drop);
    },
  };
}

export function producerOf(
  { dir, producer }: { readonly dir: string; readonly producer?: string | undefined },
  clock: Clock,
): Producer | undefined {
  return producer === undefined ? undefined : new Producer(dir, producer, () => clock.now());
}
