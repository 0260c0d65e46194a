// Sends batches to an event hub of Azure over HTTPS (docs/sinks.md). Called by open-receiver.ts. Only status
// 201 says that a batch is stored. The account's id is the partition key of its events, because Event Hubs
// guarantees order within a partition only.

import type { SinkConfigs } from "@annals/interface";
import { CollectedBatch } from "../../receiver/collected-batch.ts";
import { type SinkDeps, SinkHttp } from "../../receiver/sink-http.ts";
import type { SinkReceiver, SinkResult } from "../../receiver/sink-receiver.ts";
import type { SinkRecord } from "../../rules/sink-record.ts";
import { sharedAccessSignature } from "./shared-access-signature.ts";

const HEADERS = { "content-type": "application/vnd.microsoft.servicebus.json" };
const CREATED = 201;

/** Seconds for which a token is valid: far longer than a turn, and than clocks differ. */
const TOKEN_LIFE_S = 900;

/** Bytes of a batch that every tier takes: this is the limit of Basic. Others take 1 MB. */
const LEAST_LIMIT_BYTES = 256 * 1024;
/**
 * Statuses of a larger batch that may be about its size, besides 413. The pages of Event Hubs name none;
 * those of Service Bus, which has the same request, name 403.
 */
const SIZE_STATUSES: ReadonlySet<unknown> = new Set([400, 403]);

export function azureEventHubsReceiver(
  config: SinkConfigs["azure_event_hubs"],
  deps: SinkDeps,
): SinkReceiver {
  const hub = `${new URL(config.url).origin}/${config.event_hub}`;
  const url = new URL(`${hub}/messages?timeout=60&api-version=2014-01`);
  const expiry = Math.floor(deps.clock.nowMicros() / 1_000_000) + TOKEN_LIFE_S;
  const { authorization, signature } = sharedAccessSignature(config, hub, expiry);
  const secrets = [config.shared_access_key, signature];
  // The path is no secret: what Event Hubs says may name the hub.
  const http = new SinkHttp(deps, new URL(config.url), { authorization }, secrets);
  const deliver = async (
    accountId: string,
    records: readonly SinkRecord[],
    signal: AbortSignal,
  ): Promise<SinkResult> => {
    const body = Buffer.from(bodyOf(accountId, records));
    const attempt = await http.request(
      { accountId, url, headers: HEADERS, body },
      http.deadline(signal),
    );
    const { outcome, statusCode } = attempt;
    if (outcome === "success") {
      if (statusCode !== CREATED) return http.unreadable(statusCode);
      return { outcome: "accepted", statusCode };
    }
    const failure = http.failure(attempt);
    const mayBeSize = records.length > 1 && body.length > LEAST_LIMIT_BYTES;
    if (!mayBeSize || !SIZE_STATUSES.has(statusCode)) return failure;
    const reason = failure.error ?? "";
    return { ...failure, refusal: { kind: "size", status: statusCode, reason } };
  };
  return {
    open: ({ accountId }) =>
      new CollectedBatch(deps.log, (records, signal) => deliver(accountId, records, signal)),
    close: () => http.close(),
  };
}

/** The body of an event is a text. Its property `id` is the same when it is sent again. */
function bodyOf(accountId: string, records: readonly SinkRecord[]): string {
  const BrokerProperties = { PartitionKey: accountId };
  return JSON.stringify(
    records.map(({ id, json }) => ({ Body: json, BrokerProperties, UserProperties: { id } })),
  );
}
