// A real OpenTelemetry Collector for tests, which Go builds once per checkout from the folder collector and
// the Go module proxy. And one with receivers of OTLP and of syslog over TLS, and a file for each. Called by
// the fault tests of sinks and of recipes.

import { freePort } from "@annals/local";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { GrowingFile } from "./growing-file.ts";
import { ReceiverProcess } from "./receiver-process.ts";

const SOURCES = join(import.meta.dirname, "collector");
const CACHE = join(import.meta.dirname, "../../node_modules/.cache/annals");
/** It has several hundred modules. */
const BUILT_WITHIN_MS = 1_200_000;
const NAME = "collector";
/**
 * Without it, the receiver of syslog holds up to 100 messages for up to 0.1 s, hands them on from two
 * threads, and so writes some of them in another order.
 */
const SYNCHRONOUS = "--feature-gates=stanza.synchronousLogEmitter";
/** Digits of the digest of its module file. */
const VERSION_LENGTH = 16;

const run = promisify(execFile);

/**
 * The program. Rejects, and names the reason, where there is no Go, a module cannot be fetched, or it is not
 * built yet and should not be: a build takes minutes of both CPUs.
 */
export async function findCollector(mayBuild: boolean, env = process.env): Promise<string> {
  const given = env["ANNALS_TEST_COLLECTOR"];
  if (given !== undefined) return given;
  const module = await readFile(join(SOURCES, "go.mod"));
  const version = createHash("sha256").update(module).digest("hex").slice(0, VERSION_LENGTH);
  const program = join(CACHE, `${NAME}-${version}`);
  if (existsSync(program)) return program;
  if (!mayBuild) throw new Error("only the full form builds it");
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, `${NAME}-`));
  try {
    // A copy, since the build writes the sums of all modules next to it.
    await cp(SOURCES, folder, { recursive: true });
    const options = { cwd: folder, env: { ...env, GOFLAGS: "-mod=mod" }, timeout: BUILT_WITHIN_MS };
    await run("go", ["build", "-o", NAME, "."], options);
    await rename(join(folder, NAME), program);
    return program;
  } finally {
    await rm(folder, { recursive: true });
  }
}

export class BuiltCollector {
  readonly otlpPort: number;
  readonly syslogPort: number;
  /** What it writes: log records in the JSON of OTLP, by receiver. */
  readonly files: Readonly<Record<"otlp" | "syslog", GrowingFile>>;
  readonly process: ReceiverProcess;
  readonly #folder: string;

  private constructor(program: string, folder: string, ports: readonly [number, number]) {
    this.#folder = folder;
    [this.otlpPort, this.syslogPort] = ports;
    const file = (name: string) => new GrowingFile(join(folder, "out", name));
    this.files = { otlp: file("otlp"), syslog: file("syslog") };
    const args = ["--config", `file:${join(folder, "config.yaml")}`, SYNCHRONOUS];
    this.process = new ReceiverProcess(program, args, async (child, output) => {
      while (!output().includes("Everything is ready")) await once(child.stderr, "data");
    });
  }

  /** Starts it with a certificate and its key (PEM). */
  static async start(
    program: string,
    certificate: { readonly cert: string; readonly key: string },
  ): Promise<BuiltCollector> {
    const folder = await mkdtemp(join(tmpdir(), "annals-collector-"));
    await mkdir(join(folder, "out"));
    for (const [name, text] of Object.entries(certificate))
      await writeFile(join(folder, name), text);
    const collector = new BuiltCollector(program, folder, [await freePort(), await freePort()]);
    await writeFile(join(folder, "config.yaml"), collector.#config());
    await collector.process.start();
    return collector;
  }

  async stop(): Promise<void> {
    await this.process.end("SIGKILL");
    await rm(this.#folder, { recursive: true });
  }

  #config(): string {
    const tls = `tls: { cert_file: ${join(this.#folder, "cert")}, key_file: ${join(this.#folder, "key")} }`;
    // The exporter writes a batch before it acknowledges it if a rotation is set, and up to 1 s later if not.
    const file = (name: string) =>
      `{ path: ${join(this.#folder, "out", name)}, rotation: { max_megabytes: 100000 } }`;
    return `receivers:
  otlp:
    protocols:
      http: { endpoint: "127.0.0.1:${this.otlpPort}", ${tls} }
  syslog:
    protocol: rfc5424
    enable_octet_counting: true
    max_octets: 1048576
    tcp: { listen_address: "127.0.0.1:${this.syslogPort}", max_log_size: 1MiB, ${tls} }
exporters:
  file/otlp: ${file("otlp")}
  file/syslog: ${file("syslog")}
service:
  telemetry: { metrics: { level: none } }
  pipelines:
    logs/otlp: { receivers: [otlp], exporters: [file/otlp] }
    logs/syslog: { receivers: [syslog], exporters: [file/syslog] }
`;
  }
}

/** The log records of a line that its exporter has written. */
export function recordsIn(line: string): LogRecord[] {
  const { resourceLogs } = JSON.parse(line) as Logs;
  return resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords));
}

/** A value of OTLP in JSON, as far as records of Annals have them. */
export interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: string;
  readonly kvlistValue?: { readonly values: readonly OtlpAttribute[] };
}

export interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

export interface LogRecord {
  readonly timeUnixNano: string;
  readonly body: OtlpValue;
  readonly attributes: readonly OtlpAttribute[];
}

interface Logs {
  readonly resourceLogs: readonly {
    readonly scopeLogs: readonly { readonly logRecords: readonly LogRecord[] }[];
  }[];
}

export function valueOf(attributes: readonly OtlpAttribute[], key: string): OtlpValue | undefined {
  return attributes.find((each) => each.key === key)?.value;
}
