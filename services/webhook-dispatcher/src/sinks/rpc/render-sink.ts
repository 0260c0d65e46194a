// Renders a stored sink as proto. Called by the handlers of sinks. No secret of a configuration may ever be
// in it.

import { shownSinkConfig, type SinkConfig } from "@annals/interface";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  OnRejected as ShownOnRejected,
  SinkFormat as ShownFormat,
  type SinkSchema,
  SinkState,
} from "@annals/proto/sinks";
import { filterOf } from "../../webhooks/rules/filter-history.ts";
import type { SecretKeys } from "../../sealing/rules/secret-keys.ts";
import type { SinkRow } from "../store/sink-row.ts";
import { filterMember } from "../../webhooks/filter-members.ts";

const FORMATS = {
  annals: ShownFormat.ANNALS,
  ocsf: ShownFormat.OCSF,
  ecs: ShownFormat.ECS,
  cloudevents: ShownFormat.CLOUDEVENTS,
} as const;

const ON_REJECTED = {
  stop: ShownOnRejected.STOP,
  skip: ShownOnRejected.SKIP,
} as const;

/** Reads the configuration of a stored sink, with its secrets. */
export function openConfig(keys: SecretKeys, row: SinkRow): SinkConfig {
  const sealed = { keyId: row.config_key_id, bytes: row.config_sealed };
  return JSON.parse(keys.open(sealed, { accountId: row.account_id, sinkId: row.id })) as SinkConfig;
}

export function renderSink(
  row: Omit<SinkRow, "config_key_id" | "config_sealed">,
  config: SinkConfig,
): MessageInitShape<typeof SinkSchema> {
  return {
    id: row.id,
    format: FORMATS[row.format],
    ...filterMember(filterOf(row)),
    leaveOut: [...row.leave_out],
    includeProof: row.include_proof,
    ...(row.mapping !== null && { mapping: row.mapping }),
    config: JSON.stringify(shownSinkConfig(config)),
    active: row.active,
    createdAt: row.created_at,
    state: stateOf(row),
    onRejected: ON_REJECTED[row.on_rejected],
  };
}

export function stateOf({ active, attempts }: Pick<SinkRow, "active" | "attempts">): SinkState {
  if (!active) return SinkState.PAUSED;
  return attempts > 0 ? SinkState.FAILING : SinkState.ACTIVE;
}
