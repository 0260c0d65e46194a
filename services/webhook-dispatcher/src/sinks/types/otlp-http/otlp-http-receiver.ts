// Sends batches as logs of OTLP over HTTP, in protobuf and gzip (docs/sinks.md). Called by open-receiver.ts.
// A batch is accepted by a response that rejects no record: status 200 with a `partial_success` that counts
// rejected records is a refusal.

import type { SinkConfigs } from "@annals/interface";
import {
  ExportLogsServiceRequestSchema,
  ExportLogsServiceResponseSchema,
  type KeyValueSchema,
  type LogRecordSchema,
  StatusSchema,
} from "@annals/proto/otlp";
import {
  create,
  type DescMessage,
  fromBinary,
  fromJsonString,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { AttemptResult, CapturedResponse } from "../../../outbound/exchange.ts";
import { CollectedBatch } from "../../receiver/collected-batch.ts";
import { epochNanos } from "../../receiver/record-time.ts";
import { type SinkDeps, SinkHttp } from "../../receiver/sink-http.ts";
import type { SinkRecord } from "../../rules/sink-record.ts";
import type { SinkReceiver, SinkResult } from "../../receiver/sink-receiver.ts";

const HEADERS = { "content-type": "application/x-protobuf", "content-encoding": "gzip" };
const LOGS_PATH = "/v1/logs";
/** INFO, in the numbers of OpenTelemetry. */
const SEVERITY = { severityNumber: 9, severityText: "INFO" };

const compressed = promisify(gzip);

type Attribute = MessageInitShape<typeof KeyValueSchema>;

export function otlpHttpReceiver(config: SinkConfigs["otlp_http"], deps: SinkDeps): SinkReceiver {
  const url = logsUrl(config.url);
  const http = new SinkHttp(deps, url, config.headers);
  return {
    open: ({ accountId }) =>
      new CollectedBatch(deps.log, async (records, signal) => {
        const deadline = http.deadline(signal);
        const body = await compressed(requestOf(accountId, records));
        const attempt = await http.request({ accountId, url, headers: HEADERS, body }, deadline);
        return resultOf(http, attempt);
      }),
    close: () => http.close(),
  };
}

/** Adds the path of the protocol to a URL without a path, as exporters of OpenTelemetry do. */
function logsUrl(given: string): URL {
  const url = new URL(given);
  if (url.pathname === "/") url.pathname = LOGS_PATH;
  return url;
}

function resultOf(http: SinkHttp, attempt: AttemptResult): SinkResult {
  const { outcome, response, statusCode } = attempt;
  if (outcome === "refused") {
    const { message } = read(StatusSchema, response) ?? {};
    const failure = http.failure(attempt);
    if (message === undefined || message === "") return failure;
    const error = `The receiver responded with status ${statusCode}: ${http.visible(message)}`;
    const { refusal } = failure;
    return { ...failure, error, ...(refusal && { refusal: { ...refusal, reason: error } }) };
  }
  if (outcome !== "success") return http.failure(attempt);
  const answer = response?.isComplete === true && read(ExportLogsServiceResponseSchema, response);
  if (!answer) return http.unreadable(statusCode);
  const { errorMessage = "", rejectedLogRecords = 0n } = answer.partialSuccess ?? {};
  if (rejectedLogRecords > 0n) {
    const reason = errorMessage === "" ? "" : `: ${errorMessage}`;
    // The protocol forbids to send the same again: it is refused for good, and which record is not said.
    const said = `${rejectedLogRecords} of the records were rejected${reason}`;
    return http.refused(statusCode, said, { status: statusCode, reason: said });
  }
  return { outcome: "accepted", ...(statusCode !== null && { statusCode }) };
}

/** Reads a response in either encoding of the protocol; undefined if it is neither. */
function read<Desc extends DescMessage>(
  schema: Desc,
  response: CapturedResponse | undefined,
): MessageShape<Desc> | undefined {
  if (response === undefined) return undefined;
  const { body, headers } = response;
  try {
    return headers["content-type"]?.startsWith("application/json") === true && body.length > 0
      ? fromJsonString(schema, body.toString("utf8"), { ignoreUnknownFields: true })
      : fromBinary(schema, body);
  } catch {
    return undefined;
  }
}

function requestOf(accountId: string, records: readonly SinkRecord[]): Uint8Array {
  const resource = {
    attributes: [text("service.name", "annals"), text("annals.chain", accountId)],
  };
  const scopeLogs = [{ scope: { name: "annals" }, logRecords: records.map(logRecord) }];
  const request = create(ExportLogsServiceRequestSchema, {
    resourceLogs: [{ resource, scopeLogs }],
  });
  return toBinary(ExportLogsServiceRequestSchema, request);
}

function logRecord(record: SinkRecord): MessageInitShape<typeof LogRecordSchema> {
  const { action, createdAt, hash, id, json, occurredAt, previousHash, sequenceNumber } = record;
  const attributes = [text("event.name", action), text("annals.event_id", id)];
  if (sequenceNumber !== undefined) {
    const value = { case: "intValue", value: BigInt(sequenceNumber) } as const;
    attributes.push({ key: "annals.sequence_number", value: { value } });
  }
  if (hash !== undefined) attributes.push(text("annals.hash", hash));
  if (previousHash !== undefined) attributes.push(text("annals.previous_hash", previousHash));
  return {
    ...SEVERITY,
    timeUnixNano: epochNanos(occurredAt),
    observedTimeUnixNano: epochNanos(createdAt),
    eventName: action,
    // A text, and no structure: Loki and the exporters of the Collector show it as it is.
    body: { value: { case: "stringValue", value: json } },
    attributes,
  };
}

function text(key: string, value: string): Attribute {
  return { key, value: { value: { case: "stringValue", value } } };
}
