// A batch that is kept in memory until it is sent whole. Called by every receiver but that of buckets. It
// must never reject: what fails is a result, and an error of the code itself is logged.

import type { Logger } from "@annals/chassis";
import type { SinkRecord } from "../rules/sink-record.ts";
import type { SinkBatch, SinkResult } from "./sink-receiver.ts";

export type Deliver = (records: readonly SinkRecord[], signal: AbortSignal) => Promise<SinkResult>;

export class CollectedBatch implements SinkBatch {
  readonly #deliver: Deliver;
  readonly #log: Logger;
  #records: SinkRecord[] = [];
  #bytes = 0;

  constructor(log: Logger, deliver: Deliver) {
    this.#log = log;
    this.#deliver = deliver;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async add(records: readonly SinkRecord[]): Promise<void> {
    for (const record of records) {
      this.#records.push(record);
      this.#bytes += Buffer.byteLength(record.json) + 1;
    }
  }

  async send(signal: AbortSignal): Promise<SinkResult> {
    if (this.#records.length === 0) return { outcome: "accepted" };
    return settled(this.#log, () => this.#deliver(this.#records, signal));
  }

  discard(): void {
    this.#records = [];
    this.#bytes = 0;
  }
}

/** The result of a delivery, whatever it throws. */
export async function settled(
  log: Logger,
  deliver: () => Promise<SinkResult>,
): Promise<SinkResult> {
  try {
    return await deliver();
  } catch (error) {
    if (isInvalidHeader(error)) {
      return {
        outcome: "refused",
        error: "A header of the sink has a character that HTTP forbids.",
      };
    }
    log.error({ err: error }, "failed to send a batch of a sink");
    return {
      outcome: "connection",
      error: "The batch was not sent, because of an internal error.",
    };
  }
}

function isInvalidHeader(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ERR_INVALID_CHAR" || code === "ERR_INVALID_HTTP_TOKEN";
}
