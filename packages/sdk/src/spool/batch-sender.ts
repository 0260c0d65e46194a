// Sends one batch of a folder, and does with its file what its outcome asks for. Called by spool-tracker.ts.

import type { Batch, DropReason, Refusal, Sending } from "../batch.ts";
import type { NewEvent } from "../types.ts";
import type { Entry, Folder } from "./folder.ts";
import type { Lines } from "./lines.ts";

export class BatchSender {
  readonly #sending: Sending;
  /** Bytes of the files that this process has kept for a person. */
  keptBytes = 0;

  constructor(sending: Sending) {
    this.#sending = sending;
  }

  /** Resolves to the number of events that are now stored or dropped. False: the client was closed. */
  async send(folder: Folder, entry: Entry): Promise<number | false> {
    const lines = await folder.read(entry);
    if (lines.damaged.length > 0) return this.#setDamagedAside(folder, entry, lines);
    const { texts } = lines;
    if (texts.length === 0) {
      await folder.remove(entry);
      return entry.events;
    }
    const batch: Batch = {
      key: folder.keyOf(entry),
      texts,
      unknownSince: entry.sentAt,
      isPatient: true,
      onFirst: (began) => folder.markSent(entry, began),
      onRefused: () => folder.markUnsent(entry),
    };
    const outcome = await this.#sending.deliver(batch);
    if (outcome.kind === "stored") await folder.remove(entry);
    else if (outcome.kind === "refused") return this.#sendValid(folder, entry, texts, outcome);
    else if (outcome.kind === "unconfirmed" && outcome.isOver) {
      this.#drop("unconfirmed", texts, outcome.error);
      this.keptBytes += entry.bytes;
      await folder.keepFile(entry, "unconfirmed");
    } else return false;
    return entry.events;
  }

  /** Nothing of a refused batch is stored. Keeps the events at fault, and sends the others next. */
  async #sendValid(
    folder: Folder,
    entry: Entry,
    texts: readonly string[],
    { error, faulty }: Refusal,
  ): Promise<number> {
    const isNamed = (at: number): boolean => texts.length === 1 || faulty.has(at);
    const refused = texts.filter((_, at) => isNamed(at));
    if (refused.length === 0) {
      const half = Math.ceil(texts.length / 2);
      await folder.replace(entry, [texts.slice(0, half), texts.slice(half)]);
      return 0;
    }
    this.keptBytes += await folder.keepRefused(entry, refused);
    await folder.replace(entry, [texts.filter((_, at) => !isNamed(at))]);
    this.#drop("refused", refused, error);
    return refused.length;
  }

  /** A batch that may be stored cannot be repeated as it was, and another key could store it twice. */
  async #setDamagedAside(
    folder: Folder,
    entry: Entry,
    { damaged, texts, whole }: Lines,
  ): Promise<number> {
    const error = new Error(`${folder.keyOf(entry)} has ${damaged.length} damaged lines`);
    if (entry.sentAt !== undefined) {
      this.keptBytes += whole;
      await folder.keepFile(entry, "damaged");
      this.#drop("damaged", texts, error);
      return entry.events;
    }
    this.keptBytes += await folder.keep(entry, "damaged", damaged);
    await folder.replace(entry, [texts]);
    this.#drop("damaged", [], error);
    return entry.events - texts.length;
  }

  #drop(reason: DropReason, texts: readonly string[], error: unknown): void {
    const events = texts.map((text) => JSON.parse(text) as NewEvent);
    this.#sending.report({ reason, events, error });
  }
}
