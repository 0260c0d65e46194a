// Completes the row of a claimed sink with what the operator's file says, or with what it has sealed. Called
// by sinks.ts and test-sink.ts.

import type { SinkConfig } from "@annals/interface";
import { isFor, type OperatorSink, type OperatorSinks } from "../rules/operator-sink.ts";
import type { SecretKeys } from "../../sealing/rules/secret-keys.ts";
import type { ClaimedSinkRow, ListedSink } from "../store/sink-progress.ts";
import type { SinkRow } from "../store/sink-row.ts";

/** Who has set a sink up: what the operator names may be private. */
export type SinkOwner = "account" | "operator";

export interface ClaimedSink
  extends
    Omit<ClaimedSinkRow, "config_key_id" | "config_sealed" | "format" | "operator" | "type">,
    Pick<SinkRow, "format" | "type"> {
  readonly config: SinkConfig;
  readonly owner: SinkOwner;
}

/** Throws for a sink of the operator that is not in the file. */
export function claimedSink(
  { keys, operatorSinks }: { readonly keys: SealedKeys; readonly operatorSinks: OperatorSinks },
  row: ClaimedSinkRow,
): ClaimedSink {
  const { config_key_id, config_sealed, format, operator, type, ...progress } = row;
  if (operator !== null) {
    const sink = operatorSinkOf(operatorSinks, row);
    if (!sink) throw new Error(`the file of sinks has none of the name ${operator} for ${row.id}`);
    return { ...progress, ...ofFile(sink) };
  }
  if (config_key_id === null || config_sealed === null || format === null || type === null)
    throw new Error(`the row of ${row.id} is not complete`);
  const config = configOf(keys, { ...progress, config_key_id, config_sealed });
  return { ...progress, config, format, type, owner: "account" };
}

function ofFile(sink: OperatorSink) {
  const { config, filter, format, includeProof, leaveOut, mapping, onRejected } = sink;
  return {
    config,
    filter,
    format,
    include_proof: includeProof,
    leave_out: leaveOut,
    mapping,
    on_rejected: onRejected,
    owner: "operator" as const,
    type: config.type,
  };
}

/** The type of a sink; undefined for one of the operator that the file does not have for its account. */
export function typeOf(operatorSinks: OperatorSinks, row: ListedSink) {
  return row.type ?? operatorSinkOf(operatorSinks, row)?.config.type;
}

/** What the file says of a row, unless it no longer has the sink, or no longer for all accounts. */
function operatorSinkOf(
  operatorSinks: OperatorSinks,
  { account_id: accountId, operator }: Pick<ListedSink, "account_id" | "operator">,
): OperatorSink | undefined {
  const sink = operator === null ? undefined : operatorSinks.get(operator);
  return sink && isFor(sink, accountId) ? sink : undefined;
}

type SealedKeys = Pick<SecretKeys, "open">;

export function configOf(
  keys: SealedKeys,
  sink: Pick<SinkRow, "account_id" | "id" | "config_key_id" | "config_sealed">,
): SinkConfig {
  const sealed = { keyId: sink.config_key_id, bytes: sink.config_sealed };
  return JSON.parse(keys.open(sealed, { accountId: sink.account_id, sinkId: sink.id }));
}
