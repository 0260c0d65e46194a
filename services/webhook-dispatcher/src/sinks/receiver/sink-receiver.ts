// What the worker asks of a receiver: a batch is opened, filled with records in their order, and sent as
// one. Each type of sink has an implementation in types/. A batch must never be sent in part as if it were
// whole: every end but `accepted` means that the worker sends all of it again.

import type { SinkFormat } from "../rules/sink.ts";
import type { Refusal } from "../rules/sink-refusals.ts";
import type { SinkRecord } from "../rules/sink-record.ts";

/** What a batch belongs to. */
export interface SinkBatchOptions {
  readonly accountId: string;
  readonly sinkId: string;
  readonly format: SinkFormat;
  /** How often the sink was set back; a bucket names its objects by it. */
  readonly replays: number;
  /** What the batch before has left, if it was accepted. */
  readonly state: string | undefined;
  /** Whether the owner asks if the receiver takes anything: it must then be asked, whatever the batch has. */
  readonly isTest?: boolean;
}

export interface SinkResult {
  readonly outcome:
    | "accepted"
    | "refused"
    | "timeout"
    | "connection"
    | "tls"
    | "invalid_response"
    | "address"
    | "abandoned";
  /** Why it was not accepted, in a sentence without secrets: shown to the owner. */
  readonly error?: string;
  /** Status of the response; absent without one. */
  readonly statusCode?: number;
  /** Present if the receiver will refuse the same batch again, and another one it may take. */
  readonly refusal?: Refusal;
  /** The seconds that the receiver asked to wait. */
  readonly retryAfterS?: number;
  /** Given to the next batch, if this one was accepted. */
  readonly state?: string;
}

export interface SinkBatch {
  /** Bytes that the batch has so far, before compression. */
  readonly bytes: number;
  /** Adds records in their order. Resolves when more may be added: a bucket compresses as it goes. */
  add(records: readonly SinkRecord[]): Promise<void>;
  /** Sends the batch. Never rejects. */
  send(signal: AbortSignal): Promise<SinkResult>;
  /** Frees what an unsent batch holds. */
  discard(): void;
}

export interface SinkReceiver {
  open(options: SinkBatchOptions): SinkBatch;
  /** Closes idle connections. */
  close(): void;
}
