// Audit entries of webhooks and sinks. Called by the handlers, result-writer.ts and erased-filters.ts. They
// never hold a secret: they have only the origin of a URL, because its path and query may be what authorises
// a delivery. They never hold a filter, because it may name a person: they have a digest of it.

import { jsonSha256, type JsonValue } from "@annals/event";
import { SYSTEM_ACCOUNT_ID } from "@annals/contract";
import { filterOf } from "./filter-history.ts";
import type { Rejected } from "./sink-refusals.ts";
import type { SinkConfig } from "./sink.ts";

interface Change {
  readonly actor: {
    readonly type: "api_key" | "operator" | "service";
    readonly id?: string | undefined;
  };
  readonly occurredAt: string;
  readonly diff?: { readonly before?: object; readonly after?: object };
  readonly metadata?: object;
}

export function webhookChange<const Verb extends string>(
  verb: Verb,
  accountId: string,
  webhookId: string,
  change: Change,
) {
  const target = { type: "webhook", id: webhookId };
  return { accountId, action: `annals.webhook.${verb}`, target, ...change } as const;
}

/** The members of a webhook that a client has set, as far as they may be shown. */
export function shownWebhook(webhook: {
  readonly url: string;
  readonly events: readonly string[];
  readonly active: boolean;
  /** JSON text; null: it receives all events. */
  readonly filter: string | null;
}) {
  const { active, events, url } = webhook;
  return { active, events, ...filterDigest(webhook), url_origin: new URL(url).origin };
}

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

function receiverOf(config: SinkConfig): string {
  if (config.type === "syslog") return `${config.host}:${config.port}`;
  if (config.type === "s3") return `${originOf(config.endpoint)}/${config.bucket}`;
  return originOf(config.url);
}

const originOf = (url: string | undefined): string =>
  url === undefined ? "s3:/" : new URL(url).origin;

function filterDigest(of: { readonly filter: string | null }) {
  const filter = filterOf(of) as JsonValue;
  return filter === null ? {} : { filter_sha256: jsonSha256(filter) };
}
