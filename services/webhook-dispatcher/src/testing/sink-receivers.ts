// The fixtures of the tests of sinks: what a receiver depends on, records, and a batch that is sent. Imported
// by tests only.

import type { SinkConfig } from "@annals/interface";
import { createLog, type Logger, trustedContext } from "@annals/chassis";
import { systemClock } from "@annals/contract";
import { createHash } from "node:crypto";
import { onTestFinished } from "vitest";
import { openReceiver } from "../sinks/open-receiver.ts";
import type { SinkDeps } from "../sinks/receiver/sink-http.ts";
import type { SinkRecord } from "../sinks/rules/sink-record.ts";
import type {
  SinkBatchOptions,
  SinkReceiver,
  SinkResult,
} from "../sinks/receiver/sink-receiver.ts";
import { authority, guard } from "./receivers.ts";

export const ACCOUNT = "acct_1";

const OPTIONS: SinkBatchOptions = {
  accountId: ACCOUNT,
  sinkId: "sink_1",
  format: "annals",
  replays: 0,
  state: undefined,
};

/** Receivers that trust the test authority and may connect to the loopback interface. */
function sinkDeps(more: Partial<SinkDeps> = {}): SinkDeps {
  const log: Logger = createLog({ service: "test", level: "error" });
  const secureContext = trustedContext(authority.cert);
  return { clock: systemClock(), guard, log, secureContext, ...more };
}

/** The record with a number, whose hash follows that of the number before. */
export function sinkRecord(sequenceNumber: number, more: Partial<SinkRecord> = {}): SinkRecord {
  const at = `2026-11-27T13:53:47.${String(sequenceNumber).padStart(6, "0")}Z`;
  const id = `evt_${sequenceNumber}`;
  return {
    json: JSON.stringify({ id, sequence_number: sequenceNumber, action: "invoice.update" }),
    id,
    sequenceNumber,
    action: "invoice.update",
    occurredAt: at,
    createdAt: at,
    hash: hashOf(sequenceNumber),
    previousHash: hashOf(sequenceNumber - 1),
    ...more,
  };
}

export function sinkRecords(from: number, to: number): SinkRecord[] {
  return Array.from({ length: to - from + 1 }, (_, n) => sinkRecord(from + n));
}

/** A line of the stream. */
export function streamLine(): SinkRecord {
  const { action, createdAt, id, json, occurredAt } = sinkRecord(0, {
    json: '{"action":"annals.sink.checkpoint"}',
    action: "annals.sink.checkpoint",
  });
  return { action, createdAt, id, json, occurredAt };
}

export function newReceiver(config: SinkConfig, deps: Partial<SinkDeps> = {}): SinkReceiver {
  const receiver = openReceiver(config, sinkDeps(deps));
  onTestFinished(() => receiver.close());
  return receiver;
}

/** Sends one batch, and measures it. */
export async function sendBatch(
  receiver: SinkReceiver,
  records: readonly SinkRecord[],
  options: Partial<SinkBatchOptions> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<SinkResult & { readonly ms: number }> {
  const batch = receiver.open({ ...OPTIONS, ...options });
  await batch.add(records);
  const started = performance.now();
  const result = await batch.send(signal);
  return { ...result, ms: performance.now() - started };
}

function hashOf(sequenceNumber: number): string {
  return createHash("sha256").update(String(sequenceNumber)).digest("hex");
}
