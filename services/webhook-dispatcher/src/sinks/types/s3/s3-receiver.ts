// Sends batches to a bucket of S3-compatible storage: each is an object of compressed lines and a manifest
// that names the one before (docs/sinks.md). Called by open-receiver.ts. A batch is accepted when both are
// stored, the manifest last: an object without a manifest is one whose batch is sent again. An object must
// never have the events of two days.

import type { SinkConfigs } from "@annals/interface";
import type { Logger } from "@annals/chassis";
import { settled } from "../../receiver/collected-batch.ts";
import { CompressedLines } from "./compressed-lines.ts";
import { manifestOf, newManifestState, objectName, readManifestState } from "./s3-manifest.ts";
import { type S3Uploads, s3Uploads } from "./s3-uploads.ts";
import { BATCH_TIMEOUT_MS, type SinkDeps } from "../../receiver/sink-http.ts";
import { dayOf, type SinkRecord } from "../../rules/sink-record.ts";
import type {
  SinkBatch,
  SinkBatchOptions,
  SinkReceiver,
  SinkResult,
} from "../../receiver/sink-receiver.ts";

export function s3Receiver(config: SinkConfigs["s3"], deps: SinkDeps): SinkReceiver {
  let uploads: S3Uploads | undefined;
  const open = () => (uploads ??= s3Uploads(config, deps));
  return {
    open: (options) => new S3Batch(config, options, open, deps),
    close: () => {
      uploads?.close();
      uploads = undefined;
    },
  };
}

/** An event, which has these members always. */
type Numbered = Required<SinkRecord>;

class S3Batch implements SinkBatch {
  readonly #config: SinkConfigs["s3"];
  readonly #options: SinkBatchOptions;
  readonly #open: () => S3Uploads;
  readonly #log: Logger;
  readonly #timeoutMs: number;
  readonly #lines = new CompressedLines();
  #first: Numbered | undefined;
  #last: Numbered | undefined;
  #count = 0;
  #isOfOneDay = true;

  constructor(
    config: SinkConfigs["s3"],
    options: SinkBatchOptions,
    open: () => S3Uploads,
    { log, timeoutMs = BATCH_TIMEOUT_MS }: SinkDeps,
  ) {
    [this.#config, this.#options, this.#open] = [config, options, open];
    [this.#log, this.#timeoutMs] = [log, timeoutMs];
  }

  get bytes(): number {
    return this.#lines.bytes;
  }

  async add(records: readonly SinkRecord[]): Promise<void> {
    if (this.#options.isTest === true) {
      await this.#lines.write(records.map(({ json }) => `${json}\n`).join(""));
      return;
    }
    // Lines of the stream are left out: the manifests say what they say.
    const events = records.filter(isNumbered);
    for (const event of events) {
      this.#first ??= event;
      this.#last = event;
      this.#isOfOneDay &&= dayOf(event) === dayOf(this.#first);
    }
    this.#count += events.length;
    await this.#lines.write(events.map(({ json }) => `${json}\n`).join(""));
  }

  async send(signal: AbortSignal): Promise<SinkResult> {
    return settled(this.#log, () => this.#deliver(signal));
  }

  discard(): void {
    this.#lines.discard();
  }

  /** Stores the lines of a test in an object of its own, which no manifest names. Each test replaces it. */
  async #deliverTest(signal: AbortSignal): Promise<SinkResult> {
    const { accountId, sinkId } = this.#options;
    const deadline = { signal, until: performance.now() + this.#timeoutMs };
    const body = await this.#lines.finish();
    const key = `${this.#config.prefix}annals/v1/account=${accountId}/test/${sinkId}.zst`;
    return this.#open().put(accountId, key, body, deadline);
  }

  async #deliver(signal: AbortSignal): Promise<SinkResult> {
    const { accountId, isTest, replays, sinkId, state } = this.#options;
    if (isTest === true) return this.#deliverTest(signal);
    const [first, last] = [this.#first, this.#last];
    if (first === undefined || last === undefined) {
      this.discard();
      return { outcome: "accepted", ...(state !== undefined && { state }) };
    }
    if (!this.#isOfOneDay) {
      return { outcome: "refused", error: "The records of the batch are of several days." };
    }
    const deadline = { signal, until: performance.now() + this.#timeoutMs };
    const body = await this.#lines.finish();
    const uploads = this.#open();
    const range = { from: first.sequenceNumber, to: last.sequenceNumber };
    const object = objectName({ accountId, day: dayOf(first), replays, ...range });
    const { prefix } = this.#config;
    const stored = await uploads.put(accountId, `${prefix}${object}`, body, deadline);
    if (stored.outcome !== "accepted") return stored;
    const manifest = manifestOf(readManifestState(state), {
      chain: accountId,
      sink: sinkId,
      ...range,
      count: this.#count,
      first_hash: first.hash,
      last_hash: last.hash,
      first_previous_hash: first.previousHash,
      object,
      body,
    });
    const key = `${prefix}${object}.manifest.json`;
    const result = await uploads.put(accountId, key, manifest.bytes, deadline);
    return result.outcome === "accepted"
      ? { ...result, state: newManifestState(manifest) }
      : result;
  }
}

function isNumbered(record: SinkRecord): record is Numbered {
  return (
    record.sequenceNumber !== undefined &&
    record.hash !== undefined &&
    record.previousHash !== undefined
  );
}
