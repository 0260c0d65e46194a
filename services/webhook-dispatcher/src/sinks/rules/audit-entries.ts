// Audit entries of sinks. Called by the handlers, the commands and the workers of sinks. They never hold a
// secret: they have only the origin of a URL. They hold a digest in place of a filter or a mapping.

import { receiverOf, type SinkConfig } from "@annals/interface";
import { SYSTEM_ACCOUNT_ID } from "@annals/contract";
import { jsonSha256 } from "@annals/event";
import { type Change, filterDigest } from "../../webhooks/rules/audit-entries.ts";
import type { Rejected } from "./sink-refusals.ts";

export function sinkChange<const Verb extends string>(
  verb: Verb,
  accountId: string,
  sinkId: string,
  change: Change,
) {
  const target = { type: "sink", id: sinkId };
  return { accountId, action: `annals.sink.${verb}`, target, ...change } as const;
}

/**
 * A skip is visible where the sink is: to the account, in its own chain; of a sink of the operator, which an
 * account may not see, in the chain of the system. What the receiver said may have a part of the event.
 */
export function skippedEntry(
  of: { readonly accountId: string; readonly sinkId: string; readonly isOperators: boolean },
  { id, sequence_number, status }: Rejected,
  change: Change,
) {
  const { accountId, isOperators, sinkId } = of;
  const metadata = {
    ...(isOperators && { account_id: accountId }),
    event_id: id,
    sequence_number: String(sequence_number),
    status,
  };
  const chain = isOperators ? SYSTEM_ACCOUNT_ID : accountId;
  return sinkChange("skipped", chain, sinkId, { ...change, metadata });
}

/** The members of a sink that a client has set, as far as they may be shown. */
export function shownSink(
  sink: {
    readonly active: boolean;
    readonly format: string;
    readonly filter: string | null;
    readonly include_proof: boolean;
    readonly leave_out: readonly string[];
    /** JSON text; null: the classes of the service. */
    readonly mapping: string | null;
    readonly on_rejected: string;
  },
  config: SinkConfig,
) {
  const { active, format, include_proof, leave_out, mapping, on_rejected } = sink;
  const ofMapping = mapping === null ? {} : { mapping_sha256: jsonSha256(JSON.parse(mapping)) };
  return {
    active,
    format,
    include_proof,
    leave_out,
    ...filterDigest(sink),
    ...ofMapping,
    on_rejected,
    receiver: receiverOf(config),
    type: config.type,
  };
}
