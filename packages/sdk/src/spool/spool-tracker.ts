// Tracks with a spool: each event is on disk before track() returns, and batches are sent from there, those
// of earlier processes first. Called by spool.ts. It must never lose an accepted event without naming it.

import type { DropReason, EventTracker, Sending, SpoolClient } from "../batch.ts";
import { closeBeforeExit, held, leaveAtExit, unref } from "../process-end.ts";
import type { NewEvent } from "../types.ts";
import { BatchSender } from "./batch-sender.ts";
import { claim } from "./claims.ts";
import { EventLines } from "./event-lines.ts";
import type { Entry, Folder } from "./folder.ts";
import { OwnFolder, TOUCH_MS } from "./own-folder.ts";
import { keyDigest } from "./owner.ts";
import { counting, type Producer, producerOf } from "./producer.ts";
import type { SpoolSettings } from "./settings.ts";

const CLOSE_TIMEOUT_MS = 10_000;
const CLAIM_MS = 30_000;
/** After a file could not be read or renamed. */
const DISK_RETRY_MS = 1_000;

export class SpoolTracker implements EventTracker {
  readonly #client: SpoolClient;
  readonly #settings: SpoolSettings;
  readonly #sending: Sending;
  readonly #sender: BatchSender;
  readonly #abort = new AbortController();
  readonly #own: OwnFolder;
  readonly #producer: Producer | undefined;
  readonly #lines: EventLines;
  readonly #timers: ReturnType<typeof setInterval>[];
  /** Folders of others, and those that this process has lost with events in memory. */
  #others: Folder[] = [];
  #isClaimDue = true;
  #tracked = 0;
  #settled = 0;
  /** Bytes of all files, counted again after each batch. */
  #bytes = 0;
  #hurryTo = 0;
  #loop: Promise<void> | undefined;
  #waiting = new AbortController();
  #waiters: { readonly isDone: () => boolean; readonly resolve: () => void }[] = [];
  #isClosed = false;
  readonly #problem = (error: unknown): void => {
    const { dir, onProblem } = this.#settings;
    onProblem({ dir, error });
  };

  constructor(client: SpoolClient, settings: SpoolSettings) {
    this.#client = client;
    this.#settings = settings;
    this.#producer = producerOf(settings, client.clock);
    const sending = client.sending(this.#abort.signal, () => this.buffered);
    this.#sending = counting(sending, this.#producer);
    this.#lines = new EventLines(client.clock, this.#producer, this.#problem);
    this.#sender = new BatchSender(this.#sending);
    this.#own = new OwnFolder({
      settings,
      clock: client.clock,
      isFull: (entry) => this.#isFull(entry),
      onProblem: this.#problem,
      onLost: (folder) => this.#lose(folder),
    });
    // A process that is killed at once has left its key, so that the next one may claim its folder.
    const { apiKey } = client;
    if (typeof apiKey === "string") this.#own.owner.key = keyDigest(apiKey);
    this.#timers = [
      setInterval(() => this.#touch(), TOUCH_MS),
      setInterval(() => this.#claimSoon(), CLAIM_MS),
    ];
    for (const timer of this.#timers) unref(timer);
    this.#start();
  }

  get buffered(): number {
    return this.#sum(({ events }) => events);
  }

  track(event: NewEvent): boolean {
    if (this.#isClosed) return this.#refuse("closed", event);
    const accepted = this.#lines.of(event);
    if (accepted === undefined) return this.#refuse("unserializable", event);
    const { accept, line } = accepted;
    const isOver = this.#bytes + line.length > this.#settings.maxBytes;
    if (isOver || !this.#own.append(line)) return this.#refuse("full", event);
    accept();
    this.#tracked += 1;
    this.#bytes += line.length;
    const { open } = this.#own;
    if (open && this.#isFull(open)) this.#waiting.abort();
    this.#start();
    return true;
  }

  async ready(): Promise<void> {
    return held(this.#until(() => this.#bytes <= this.#settings.maxBytes / 2));
  }

  async flush(): Promise<void> {
    const target = this.#tracked;
    this.#hurryTo = target;
    this.#waiting.abort();
    return held(this.#until(() => this.#settled >= target && this.#others.length === 0));
  }

  /** Sends what it can in this time. The rest stays on disk for the next process. */
  async close(timeoutMs = CLOSE_TIMEOUT_MS): Promise<void> {
    this.#isClosed = true;
    const flushed = new AbortController();
    const limit = this.#client.clock.wait(timeoutMs, flushed.signal);
    await Promise.race([this.flush(), limit]);
    flushed.abort();
    this.#abort.abort();
    this.#waiting.abort();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#loop;
    await this.#leave();
  }

  #refuse(reason: DropReason, event: NewEvent): false {
    this.#sending.report({ reason, events: [event], error: undefined });
    return false;
  }

  #start(): void {
    this.#loop ??= this.#run().finally(() => {
      this.#loop = undefined;
      leaveAtExit(this);
      this.#tellWaiters();
      const isDue = this.#isClaimDue || this.#next() !== undefined;
      if (isDue && !this.#abort.signal.aborted) this.#start();
    });
  }

  /** Sends batches until none is left. */
  async #run(): Promise<void> {
    closeBeforeExit(this);
    this.#sending.progress();
    // A folder of another process must be claimed first, to keep the order.
    await Promise.resolve();
    while (!this.#abort.signal.aborted) {
      try {
        if (this.#isClaimDue) await this.#claim().finally(() => (this.#isClaimDue = false));
        const next = this.#next();
        if (next === undefined) break;
        await this.#send(...next);
      } catch (error) {
        this.#problem(error);
        await this.#client.clock.wait(DISK_RETRY_MS, this.#abort.signal);
      }
      this.#tellWaiters();
    }
  }

  #next(): [Folder, Entry] | undefined {
    for (const folder of [...this.#others, this.#own.folder]) {
      const [entry] = folder.entries;
      if (entry !== undefined) return [folder, entry];
    }
    return undefined;
  }

  async #send(folder: Folder, entry: Entry): Promise<void> {
    if (entry.state === "open") {
      const isHurried = this.#settled < this.#hurryTo;
      if (!isHurried && !this.#isFull(entry) && this.#own.open === entry) {
        this.#waiting = new AbortController();
        await this.#client.clock.wait(this.#client.maxWaitMs, this.#waiting.signal);
        // Another process may have claimed it meanwhile.
        if (this.#abort.signal.aborted || !folder.entries.includes(entry)) return;
      }
    }
    try {
      if (entry.state === "open") await this.#own.seal(folder, entry);
      const settled = await this.#sender.send(folder, entry);
      if (settled === false) return;
      if (folder.isOwn) this.#settled += settled;
      this.#sending.progress();
      this.#learnAccount();
    } catch (error) {
      if (folder.exists || entry.memory !== undefined) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
        // Somebody has deleted the file.
        this.#problem(error);
        folder.forget(entry);
        if (folder.isOwn) this.#settled += entry.events;
      } else this.#lose(folder);
    }
    if (folder !== this.#own.folder && folder.entries.length === 0) {
      this.#others = this.#others.filter((other) => other !== folder);
      await folder.removeIfEmpty();
    }
  }

  /** Another process has claimed it, and sends what is in it. What is in memory stays here. */
  #lose(folder: Folder): void {
    for (const entry of folder.entries.slice()) {
      if (entry.memory !== undefined) continue;
      folder.forget(entry);
      if (folder.isOwn) this.#settled += entry.events;
    }
    const others = this.#others.filter((other) => other !== folder);
    if (folder.entries.length > 0 && folder !== this.#own.folder) others.push(folder);
    this.#others = others;
  }

  #claimSoon(): void {
    this.#isClaimDue = true;
    this.#start();
  }

  async #claim(): Promise<void> {
    const { accountId, apiKey, clock } = this.#client;
    if (typeof apiKey === "function" && this.#own.owner.key === null) {
      const key = await this.#sending.repeat(async () => apiKey());
      if (key !== undefined) await this.#own.setOwner({ key: keyDigest(key) }).catch(this.#problem);
    }
    const folders = await claim({
      settings: this.#settings,
      name: this.#own.name,
      now: () => clock.now(),
      self: this.#own.owner,
      account: async () => {
        const account = this.#own.owner.account ?? (await this.#sending.repeat(accountId));
        if (account !== undefined) await this.#own.setOwner({ account }).catch(this.#problem);
        return account;
      },
    });
    this.#others = [...this.#others, ...folders].toSorted((a, b) => (a.owner < b.owner ? -1 : 1));
  }

  /** So that the next process may claim the folder though its key is another. */
  #learnAccount(): void {
    if (this.#own.owner.account !== null) return;
    const { accountId } = this.#client;
    const learn = async (): Promise<void> =>
      this.#own.setOwner({ account: await accountId(this.#abort.signal) });
    learn().catch(() => {
      // The next batch tries it again.
    });
  }

  #touch(): void {
    const now = this.#client.clock.now();
    try {
      this.#producer?.touch();
      if (this.buffered > 0) this.#own.touch();
      for (const folder of this.#others) if (folder.exists) folder.touch(now);
    } catch (error) {
      this.#problem(error);
    }
  }

  /** Leaves the files to the next process, which need not wait until this one is gone. */
  async #leave(): Promise<void> {
    for (const folder of [...this.#others, this.#own.folder]) {
      for (const entry of folder.entries.slice()) {
        if (entry.memory !== undefined) {
          const events = entry.memory.map((text) => JSON.parse(text) as NewEvent);
          const reason = entry.sentAt === undefined ? "closed" : "unconfirmed";
          this.#sending.report({ reason, events, error: undefined });
          folder.forget(entry);
        } else if (entry.state === "open") await this.#own.seal(folder, entry).catch(this.#problem);
      }
      if (folder.exists && folder.entries.length > 0) folder.touch(0);
      else await folder.removeIfEmpty();
      folder.entries.length = 0;
    }
    this.#producer?.close();
    this.#settled = this.#tracked;
    this.#others = [];
    this.#tellWaiters();
  }

  async #until(isDone: () => boolean): Promise<void> {
    this.#start();
    // Folders of other processes are looked for first.
    if (isDone() && !this.#isClaimDue) return;
    await new Promise<void>((resolve) => void this.#waiters.push({ isDone, resolve }));
  }

  #tellWaiters(): void {
    this.#bytes = this.#sender.keptBytes + this.#sum(({ bytes }) => bytes);
    const done = this.#waiters.filter(({ isDone }) => isDone());
    this.#waiters = this.#waiters.filter((waiter) => !done.includes(waiter));
    for (const { resolve } of done) resolve();
  }

  #isFull({ bytes, events }: Entry): boolean {
    return events >= this.#client.batchEvents || bytes >= this.#client.batchBytes;
  }

  #sum(count: (entry: Entry) => number): number {
    const folders = [...this.#others, this.#own.folder];
    return folders.reduce(
      (sum, { entries }) => entries.reduce((inFolder, entry) => inFolder + count(entry), sum),
      0,
    );
  }
}
