// Receivers that refuse some events, each as the specification of its protocol says: the `_bulk` request of
// Elasticsearch, the HTTP event collector of Splunk, OTLP over HTTP, Event Hubs, and plain HTTP. Imported by
// tests only.

import type { SinkConfig } from "@annals/interface";
import {
  ExportLogsServiceRequestSchema,
  ExportLogsServiceResponseSchema,
} from "@annals/proto/otlp";
import type { Received } from "@annals/testing";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import { newSubscriber } from "./receivers.ts";

interface Line {
  readonly action: string;
  readonly sequence_number?: number;
  readonly metadata?: object;
}

interface Answer {
  readonly status: number;
  readonly body: string | Uint8Array;
  /** What is stored of the request. */
  readonly stored: readonly Line[];
}

type IsRefused = (line: Line) => boolean;

interface Kind {
  readonly config: (url: string) => SinkConfig;
  readonly linesOf: (body: Buffer) => readonly Line[];
  readonly answer: (lines: readonly Line[], isRefused: IsRefused) => Answer;
  /** Status and reason as the sink names them. */
  readonly named: { readonly status: number; readonly reason: string };
}

const jsonLines = (body: Buffer) =>
  body
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const http = (body: "array" | "elastic" | "jsonl") => (url: string) =>
  ({ type: "http", url, headers: {}, body, compress: false }) as const;
const accepted = (stored: readonly Line[]): Answer => ({ status: 200, body: "", stored });

/** All of a request, or nothing. */
const whole =
  (status: number): Kind["answer"] =>
  (lines, isRefused) =>
    lines.some(isRefused) ? { status, body: "not like this", stored: [] } : accepted(lines);

export const REFUSING: Readonly<Record<string, Kind>> = {
  "HTTP with 400": {
    config: http("jsonl"),
    linesOf: jsonLines,
    answer: whole(400),
    named: { status: 400, reason: "The receiver responded with status 400: not like this" },
  },
  "HTTP with 422": {
    config: http("array"),
    linesOf: (body) => JSON.parse(body.toString()),
    answer: whole(422),
    named: { status: 422, reason: "The receiver responded with status 422: not like this" },
  },
  _bulk: {
    config: http("elastic"),
    linesOf: (body) => jsonLines(body).filter((_, n) => n % 2 === 1),
    answer: (lines, isRefused) => {
      const error = { type: "document_parsing_exception", reason: "failed to parse field [diff]" };
      const items = lines.map((line) => ({
        create: isRefused(line) ? { status: 400, error } : { status: 201 },
      }));
      const body = JSON.stringify({ errors: lines.some(isRefused), items });
      return { status: 200, body, stored: lines.filter((line) => !isRefused(line)) };
    },
    named: { status: 400, reason: "document_parsing_exception: failed to parse field [diff]" },
  },
  Splunk: {
    config: (url) => ({ type: "splunk_hec", url: url.replace(/\/$/, ""), token: "t", ack: false }),
    linesOf: (body) => jsonLines(body).map(({ event }) => event),
    answer: (lines, isRefused) => {
      const index = lines.findIndex(isRefused);
      if (index < 0) return accepted(lines);
      const body = { text: "Invalid data format", code: 6, "invalid-event-number": index };
      return { status: 400, body: JSON.stringify(body), stored: lines.slice(0, index) };
    },
    named: {
      status: 400,
      reason:
        'The receiver responded with status 400: {"text":"Invalid data format","code":6,"invalid-event-number":0}',
    },
  },
  OTLP: {
    config: (url) => ({ type: "otlp_http", url: `${url}v1/logs`, headers: {} }),
    linesOf: (body) => {
      const { resourceLogs } = fromBinary(ExportLogsServiceRequestSchema, gunzipSync(body));
      const records = resourceLogs.flatMap(({ scopeLogs }) => scopeLogs[0]?.logRecords ?? []);
      return records.map((record) => JSON.parse(record.body?.value.value as string));
    },
    answer: (lines, isRefused) => {
      const rejected = lines.filter(isRefused).length;
      const partialSuccess = { rejectedLogRecords: BigInt(rejected), errorMessage: "too deep" };
      const answer = create(
        ExportLogsServiceResponseSchema,
        rejected === 0 ? {} : { partialSuccess },
      );
      const stored = lines.filter((line) => !isRefused(line));
      return { status: 200, body: toBinary(ExportLogsServiceResponseSchema, answer), stored };
    },
    named: { status: 200, reason: "1 of the records were rejected: too deep" },
  },
  "Event Hubs": {
    config: (url) => ({
      type: "azure_event_hubs",
      url,
      event_hub: "audit",
      shared_access_key_name: "send",
      shared_access_key: "k",
    }),
    linesOf: (body) =>
      JSON.parse(body.toString()).map(({ Body }: { Body: string }) => JSON.parse(Body)),
    answer: (lines, isRefused) =>
      lines.some(isRefused)
        ? { status: 400, body: "not like this", stored: [] }
        : { status: 201, body: "", stored: lines },
    named: { status: 400, reason: "The receiver responded with status 400: not like this" },
  },
};

/** A receiver of a kind. `refuses` says which events, and may be set at any time. */
export async function refusingReceiver(name: string) {
  const kind = REFUSING[name];
  if (!kind) throw new Error(`there is no kind ${name}`);
  const subscriber = await newSubscriber();
  const receiver = {
    config: kind.config(subscriber.url("")),
    named: kind.named,
    /** What is stored, in order; what comes again is there once. */
    stored: [] as Line[],
    /** Bytes of each request. */
    sizes: [] as number[],
    refuses: ((_line: Line) => false) as IsRefused,
    /** Whatever the request is. */
    status: undefined as number | undefined,
    maxBytes: Number.POSITIVE_INFINITY,
    numbers: () => receiver.stored.flatMap(({ sequence_number }) => sequence_number ?? []),
    gaps: () => receiver.stored.filter(({ action }) => action === "annals.sink.gap"),
  };
  const known = new Set<string>();
  subscriber.answer = (response: ServerResponse, { body }: Received) => {
    receiver.sizes.push(body.length);
    const { maxBytes, status } = receiver;
    const isLarge = body.length > maxBytes;
    if (status !== undefined || isLarge) {
      response.writeHead(status ?? 413).end("no");
      return;
    }
    const answer = kind.answer(kind.linesOf(body), receiver.refuses);
    for (const line of answer.stored) {
      const key = JSON.stringify([line.action, line.sequence_number, line.metadata]);
      if (!known.has(key)) receiver.stored.push(line);
      known.add(key);
    }
    response
      .writeHead(answer.status, { "content-type": "application/x-protobuf" })
      .end(answer.body);
  };
  return receiver;
}
