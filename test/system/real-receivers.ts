// Real receivers of sinks that end and start again, each with the lines that it has kept: a Collector by OTLP
// and by syslog, servers of syslog, and a bucket. Called by the fault test that kills them.

import { freePort } from "@annals/local";
import { S3Server } from "@annals/testing";
import { type AddressInfo, connect } from "node:net";
import { pipeline } from "node:stream/promises";
import { createServer as createTls } from "node:tls";
import { zstdDecompressSync } from "node:zlib";
import { BuiltCollector, type LogRecord, recordsIn, valueOf } from "./built-collector.ts";
import type { GrowingFile } from "./growing-file.ts";
import type { ReceiverProcess } from "./receiver-process.ts";
import type { SinkLine } from "./sinks-load.ts";
import { SyslogDaemon, type SyslogDaemonName } from "./syslog-daemon.ts";
import type { WebhookSystem } from "./webhook-constellation.ts";

const HOST = "127.0.0.1";
const BUCKET = "siem";

/** `hung` is killed after a time in which it reads nothing. */
export type End = "restarted" | "killed" | "hung";

interface Waits {
  readonly hang: () => Promise<unknown>;
  readonly away: () => Promise<unknown>;
}

/** What one sink of an account sends to. */
export interface RealReceiver {
  readonly name: string;
  /** The members `type` and `config` of a sink. */
  readonly sink: object;
  /** All that it has kept when it was read last, in the order in which it has written it. */
  readonly lines: readonly SinkLine[];
  /** How it ended, and the highest number of each chain that it had then. */
  readonly ends: readonly { readonly how: End; readonly last: ReadonlyMap<string, number> }[];
  read(): Promise<void>;
}

export interface RealServer {
  readonly receivers: readonly RealReceiver[];
  /** Ends it and starts it again. `hang` and `away` resolve when it has been so for long enough. */
  restart(how: End, waits: Waits): Promise<void>;
  stop(): Promise<void>;
}

export async function startCollector(
  program: string,
  { authority }: WebhookSystem,
): Promise<RealServer> {
  const collector = await BuiltCollector.start(program, await authority.issue([HOST]));
  const { files, otlpPort, process, syslogPort } = collector;
  const url = `https://${HOST}:${otlpPort}/v1/logs`;
  const receivers = [
    new FileReceiver("collector-otlp", { type: "otlp_http", config: { url } }, files.otlp, (line) =>
      recordsIn(line).map(({ body }) => eventOf(body.stringValue)),
    ),
    new FileReceiver("collector-syslog", syslogSink(syslogPort), files.syslog, (line) =>
      recordsIn(line).map((record) => eventOf(messageOf(record))),
    ),
  ];
  return new ProcessServer(receivers, process, () => collector.stop());
}

export async function startDaemon(
  [name, program]: readonly [SyslogDaemonName, string],
  { authority }: WebhookSystem,
): Promise<RealServer> {
  const certificate = await authority.issue([HOST]);
  const daemon = await SyslogDaemon.start(name, program, { ...certificate, ca: authority.cert });
  const receiver = new FileReceiver(name, syslogSink(daemon.port), daemon.file, (line) => [
    eventOf(/^\S+ \[.*?\] ?(\{.*)$/.exec(line)?.[1]),
  ]);
  return new ProcessServer([receiver], daemon.process, () => daemon.stop());
}

/** A bucket of a server behind TLS. Its server is always killed: it has no other end. */
export async function startBucket(
  program: string,
  { authority }: WebhookSystem,
): Promise<RealServer> {
  const port = await freePort();
  const server = await S3Server.start(program, port);
  await server.createBucket(BUCKET);
  await server.enableVersions(BUCKET);
  const front = createTls(await authority.issue([HOST]), (socket) => {
    const inner = connect(port, HOST);
    pipeline(socket, inner, socket).catch(() => {});
  });
  front.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => front.listen(0, HOST, resolve));
  return {
    receivers: [
      new BucketReceiver(server, `https://${HOST}:${(front.address() as AddressInfo).port}`),
    ],
    restart: async (_, { away }) => {
      await server.pause();
      await away();
      await server.resume();
    },
    stop: async () => {
      front.close();
      await server.close();
    },
  };
}

class ProcessServer implements RealServer {
  readonly receivers: readonly FileReceiver[];
  readonly #process: ReceiverProcess;
  readonly stop: () => Promise<void>;

  constructor(
    receivers: readonly FileReceiver[],
    process: ReceiverProcess,
    stop: () => Promise<void>,
  ) {
    this.receivers = receivers;
    this.#process = process;
    this.stop = stop;
  }

  async restart(how: End, { away, hang }: Waits): Promise<void> {
    if (how === "hung") {
      this.#process.pause();
      await hang();
    }
    await this.#process.end(how === "restarted" ? "SIGTERM" : "SIGKILL");
    for (const receiver of this.receivers) await receiver.noteEnd(how);
    await away();
    await this.#process.start();
  }
}

class FileReceiver implements RealReceiver {
  readonly name: string;
  readonly sink: object;
  readonly lines: SinkLine[] = [];
  readonly ends: { readonly how: End; readonly last: ReadonlyMap<string, number> }[] = [];
  readonly #file: GrowingFile;
  readonly #linesIn: (line: string) => SinkLine[];
  readonly #last = new Map<string, number>();

  constructor(
    name: string,
    sink: object,
    file: GrowingFile,
    linesIn: (line: string) => SinkLine[],
  ) {
    [this.name, this.sink, this.#file, this.#linesIn] = [name, sink, file, linesIn];
  }

  async read(): Promise<void> {
    this.#keep(await this.#file.more());
  }

  async noteEnd(how: End): Promise<void> {
    this.#keep(await this.#file.last());
    this.ends.push({ how, last: new Map(this.#last) });
  }

  #keep(written: readonly string[]): void {
    for (const line of written.flatMap(this.#linesIn)) {
      this.lines.push(line);
      const { chain, sequence_number: number = 0 } = line;
      this.#last.set(chain, Math.max(number, this.#last.get(chain) ?? 0));
    }
  }
}

/** The lines of all objects, by the range in their names. */
class BucketReceiver implements RealReceiver {
  readonly name = "s3";
  readonly sink: object;
  readonly ends = [];
  lines: readonly SinkLine[] = [];
  readonly #server: S3Server;

  constructor(server: S3Server, endpoint: string) {
    this.#server = server;
    const { accessKeyId, secretAccessKey } = server.credentials;
    const credentials = { access_key_id: accessKeyId, secret_access_key: secretAccessKey };
    const config = { bucket: BUCKET, region: server.region, endpoint, credentials };
    this.sink = { type: "s3", config };
  }

  async read(): Promise<void> {
    const versions = await this.#server.versions(BUCKET);
    const keys = new Set(versions.map(({ Key: key = "" }) => key));
    const lines: SinkLine[] = [];
    const from = (key: string) => Number(/(\d+)-\d+\.jsonl\.zst$/.exec(key)?.[1]);
    const objects = [...keys].filter((key) => key.endsWith(".jsonl.zst"));
    for (const key of objects.toSorted((a, b) => from(a) - from(b))) {
      const object = await this.#server.read(BUCKET, key);
      const text = zstdDecompressSync(object ?? Buffer.from("")).toString("utf8");
      for (const line of text.split("\n").slice(0, -1)) lines.push(eventOf(line));
    }
    this.lines = lines;
  }
}

function syslogSink(port: number): object {
  return { type: "syslog", config: { host: HOST, port } };
}

function messageOf({ attributes }: LogRecord): string | undefined {
  return valueOf(attributes, "message")?.stringValue;
}

/** Throws if that is no event: a receiver that has written something else has lost it. */
function eventOf(json = ""): SinkLine {
  return JSON.parse(json) as SinkLine;
}
