// Guarantee: real receivers of sinks have each event of 1,000 exactly once and in order, with its number, its
// hashes and its JSON: an OpenTelemetry Collector by OTLP and by syslog, rsyslog and syslog-ng. The run
// prints which of them are not on this machine.

import { eventually } from "@annals/testing";
import { authority } from "@annals/webhook-dispatcher/src/testing/receivers.ts";
import {
  newReceiver,
  sendBatch,
  sinkRecord,
} from "@annals/webhook-dispatcher/src/testing/sink-receivers.ts";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { BuiltCollector, type LogRecord, recordsIn, valueOf } from "../system/built-collector.ts";
import { findReceivers } from "../system/found-receivers.ts";
import type { GrowingFile } from "../system/growing-file.ts";
import { SyslogDaemon } from "../system/syslog-daemon.ts";

const COUNT = 1_000;
const BATCH = 250;

const RECORDS = Array.from({ length: COUNT }, (_, n) => {
  const text = `Ünï "${n}" ] \\ \u{1F600} ${"x".repeat(n)}`;
  return sinkRecord(n + 1, { json: JSON.stringify({ sequence_number: n + 1, text }) });
});

const { collectors, daemons, missing } = await findReceivers(inject("form").name === "full");

test("each receiver is there, or it is said which is not", () => {
  expect(collectors.length + daemons.length + missing.length).toBe(3);
});

const certificate = () => authority.issue(["127.0.0.1"]);

/** What a receiver has of an event. */
interface Kept {
  readonly sequenceNumber: number;
  readonly hash: string | undefined;
  readonly previousHash: string | undefined;
  /** The event as an object. */
  readonly event: unknown;
}

const EXPECTED: Kept[] = RECORDS.map(({ hash, json, previousHash, sequenceNumber = 0 }) => ({
  sequenceNumber,
  hash,
  previousHash,
  event: JSON.parse(json) as unknown,
}));

async function sendAll(config: Parameters<typeof newReceiver>[0]): Promise<void> {
  const receiver = newReceiver(config);
  for (let from = 0; from < COUNT; from += BATCH) {
    const result = await sendBatch(receiver, RECORDS.slice(from, from + BATCH));
    expect(result).toMatchObject({ outcome: "accepted" });
  }
}

async function expectAll(file: GrowingFile, keptIn: (line: string) => Kept[]): Promise<void> {
  const kept: Kept[] = [];
  await eventually("all have arrived", async () => {
    kept.push(...(await file.more()).flatMap(keptIn));
    return kept.length >= COUNT;
  });
  expect(kept).toStrictEqual(EXPECTED);
}

describe.each(collectors)("a Collector", (program) => {
  const start = async () => {
    const collector = await BuiltCollector.start(program, await certificate());
    onTestFinished(() => collector.stop());
    return collector;
  };

  test("has them by OTLP", async () => {
    const collector = await start();
    const url = `https://127.0.0.1:${collector.otlpPort}`;
    await sendAll({ type: "otlp_http", url, headers: {} });
    await expectAll(collector.files.otlp, (line) => recordsIn(line).map(keptOfOtlp));
  });

  test("has them by syslog", async () => {
    const collector = await start();
    await sendAll({ type: "syslog", host: "127.0.0.1", port: collector.syslogPort });
    await expectAll(collector.files.syslog, (line) => recordsIn(line).map(keptOfSyslog));
  });
});

describe.each(daemons)("%s", (name, program) => {
  test("has them", async () => {
    const daemon = await SyslogDaemon.start(name, program, {
      ...(await certificate()),
      ca: authority.cert,
    });
    onTestFinished(() => daemon.stop());
    await sendAll({ type: "syslog", host: "127.0.0.1", port: daemon.port });
    await expectAll(daemon.file, (line) => [keptOfLine(line)]);
  });
});

function keptOfOtlp({ attributes, body }: LogRecord): Kept {
  return {
    sequenceNumber: Number(valueOf(attributes, "annals.sequence_number")?.intValue),
    hash: valueOf(attributes, "annals.hash")?.stringValue,
    previousHash: valueOf(attributes, "annals.previous_hash")?.stringValue,
    event: JSON.parse(body.stringValue ?? ""),
  };
}

function keptOfSyslog({ attributes }: LogRecord): Kept {
  const data = valueOf(attributes, "structured_data")?.kvlistValue?.values ?? [];
  const params = valueOf(data, "annals@32473")?.kvlistValue?.values ?? [];
  return {
    sequenceNumber: Number(valueOf(params, "seq")?.stringValue),
    hash: valueOf(params, "hash")?.stringValue,
    previousHash: valueOf(params, "prev")?.stringValue,
    event: JSON.parse(valueOf(attributes, "message")?.stringValue ?? ""),
  };
}

function keptOfLine(line: string): Kept {
  const [, data = "", json = ""] = /^invoice\.update \[(.*?)\] ?(\{.*)$/.exec(line) ?? [];
  const param = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(data)?.[1];
  return {
    sequenceNumber: Number(param("seq")),
    hash: param("hash"),
    previousHash: param("prev"),
    event: JSON.parse(json),
  };
}
