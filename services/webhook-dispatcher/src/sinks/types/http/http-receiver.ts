// Sends batches to any HTTP receiver, as JSON lines or an array, and to the `_bulk` request of Elasticsearch
// and OpenSearch (docs/sinks.md). Called by open-receiver.ts. A batch is accepted by a status 2xx, and by
// `_bulk` only if every item is: a status 200 alone says nothing there.

import type { SinkConfigs } from "@annals/interface";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { CollectedBatch } from "../../receiver/collected-batch.ts";
import { BULK_FILTER, MAX_BULK_RESPONSE_BYTES, readBulkResponse } from "./elastic-bulk.ts";
import { type SinkDeps, SinkHttp } from "../../receiver/sink-http.ts";
import type { SinkRecord } from "../../rules/sink-record.ts";
import type { SinkReceiver } from "../../receiver/sink-receiver.ts";

const compressed = promisify(gzip);

export function httpReceiver(config: SinkConfigs["http"], deps: SinkDeps): SinkReceiver {
  const isBulk = config.body === "elastic";
  const url = isBulk ? bulkUrl(config.url) : new URL(config.url);
  const http = new SinkHttp(deps, url, config.headers);
  const headers = {
    "content-type": config.body === "array" ? "application/json" : "application/x-ndjson",
    ...(config.compress && { "content-encoding": "gzip" }),
  };
  return {
    open: ({ accountId }) =>
      new CollectedBatch(deps.log, async (records, signal) => {
        const deadline = http.deadline(signal);
        const text = Buffer.from(bodyOf(config.body, records));
        const body = config.compress ? await compressed(text) : text;
        const more = isBulk ? { maxResponseBytes: MAX_BULK_RESPONSE_BYTES } : {};
        const attempt = await http.request({ accountId, url, headers, body, ...more }, deadline);
        const { outcome, response, statusCode } = attempt;
        if (outcome !== "success") return http.failure(attempt);
        if (!isBulk) return accepted(statusCode);
        const answer = response && readBulkResponse(response);
        if (answer === undefined) return http.unreadable(statusCode);
        return answer === "accepted"
          ? accepted(statusCode)
          : http.refused(statusCode, answer.reason, answer.refusal);
      }),
    close: () => http.close(),
  };
}

function accepted(statusCode: number | null) {
  return { outcome: "accepted", ...(statusCode !== null && { statusCode }) } as const;
}

function bodyOf(kind: SinkConfigs["http"]["body"], records: readonly SinkRecord[]): string {
  switch (kind) {
    case "jsonl":
      return records.map(({ json }) => `${json}\n`).join("");
    case "array":
      return `[${records.map(({ json }) => json).join(",")}]`;
    case "elastic":
      return records
        .map(({ id, json }) => `{"create":{"_id":${JSON.stringify(id)}}}\n${json}\n`)
        .join("");
  }
}

/** Asks for what says whether items failed, or the response would have 200 bytes for each record. */
function bulkUrl(given: string): URL {
  const url = new URL(given);
  if (!url.searchParams.has("filter_path"))
    url.search += `${url.search === "" ? "?" : "&"}filter_path=${BULK_FILTER}`;
  return url;
}
