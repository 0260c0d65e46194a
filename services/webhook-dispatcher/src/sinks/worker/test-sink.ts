// Sends one checkpoint to the receiver of a sink, at its owner's request (POST /v1/sinks/{id}/test). Called
// by sinks.ts in a turn of the account. It moves nothing: the stream goes on as if it had not been.

import type { SecretKeys } from "../../sealing/rules/secret-keys.ts";
import type { SinkTestResult } from "../rules/sink.ts";
import { checkpointRecord } from "../rules/sink-record.ts";
import type { SinkStatusRow } from "../store/sink-row.ts";
import { recordOptionsOf } from "./sink-cursor.ts";
import { configOf } from "./claimed-sink.ts";
import type { SinkRunDeps } from "./sink-run.ts";

interface TestDeps extends Pick<SinkRunDeps, "clock" | "openReceiver"> {
  readonly keys: Pick<SecretKeys, "open">;
}

/** Never rejects for what the receiver does. */
export async function sendTest(
  { clock, keys, openReceiver }: TestDeps,
  sink: SinkStatusRow,
  signal: AbortSignal,
): Promise<SinkTestResult> {
  const { account_id: accountId, format, id: sinkId, replays, sent_hash, sent_number } = sink;
  const hasSent = sent_hash !== null && sent_number !== null;
  const checkpoint = {
    sinkId,
    from: Number(sink.checkpoint_from),
    to: Number(sink.cursor),
    count: Number(sink.checkpoint_count),
    isFiltered: sink.filter !== null,
    head: hasSent ? { sequence_number: Number(sent_number), hash: sent_hash } : undefined,
  };
  const options = recordOptionsOf(sink);
  const receiver = openReceiver(configOf(keys, sink), "account");
  const state = sink.receiver_state ?? undefined;
  const batch = receiver.open({ accountId, sinkId, format, replays, state, isTest: true });
  try {
    await batch.add([checkpointRecord(checkpoint, clock.nowText(), options)]);
    const { error, outcome } = await batch.send(signal);
    if (outcome === "accepted") return { success: true };
    return { success: false, error: error ?? `The attempt failed: ${outcome}.` };
  } finally {
    batch.discard();
    receiver.close();
  }
}
