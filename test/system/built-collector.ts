// A real OpenTelemetry Collector for tests: receivers of OTLP and of syslog over TLS, and a file for each. Go
// builds it once per checkout from the folder collector and the Go module proxy. Called by the fault test of
// sinks.

import { freePort } from "@annals/local";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const SOURCES = join(import.meta.dirname, "collector");
const CACHE = join(import.meta.dirname, "../../node_modules/.cache/annals");
/** It has several hundred modules. */
const BUILT_WITHIN_MS = 1_200_000;
const NAME = "collector";
/** Digits of the digest of its module file. */
const VERSION_LENGTH = 16;

const run = promisify(execFile);

/** The program. Rejects, and names the reason, where there is no Go or a module cannot be fetched. */
export async function buildCollector(env = process.env): Promise<string> {
  const given = env["ANNALS_TEST_COLLECTOR"];
  if (given !== undefined) return given;
  const module = await readFile(join(SOURCES, "go.mod"));
  const version = createHash("sha256").update(module).digest("hex").slice(0, VERSION_LENGTH);
  const program = join(CACHE, `${NAME}-${version}`);
  if (existsSync(program)) return program;
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
  readonly #folder: string;
  #child: ChildProcess | undefined;

  private constructor(folder: string, ports: readonly [number, number]) {
    this.#folder = folder;
    [this.otlpPort, this.syslogPort] = ports;
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
    const ports = [await freePort(), await freePort()] as const;
    const collector = new BuiltCollector(folder, ports);
    await writeFile(join(folder, "config.yaml"), collector.#config());
    const child = spawn(program, ["--config", `file:${join(folder, "config.yaml")}`], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    collector.#child = child;
    let output = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
    while (!output.includes("Everything is ready")) {
      await Promise.race([once(child.stderr, "data"), once(child, "exit")]);
      if (child.exitCode !== null) throw new Error(`the collector has ended: ${output}`);
    }
    return collector;
  }

  /** The log records that it has written, in the JSON of OTLP. */
  async records(of: "otlp" | "syslog"): Promise<LogRecord[]> {
    const text = await readFile(join(this.#folder, "out", of), "utf8").catch(() => "");
    const lines = text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .slice(0, -1);
    return lines.flatMap((line) => {
      const { resourceLogs } = JSON.parse(line) as Logs;
      return resourceLogs.flatMap(({ scopeLogs }) =>
        scopeLogs.flatMap(({ logRecords }) => logRecords),
      );
    });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child?.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    await rm(this.#folder, { recursive: true });
  }

  #config(): string {
    const tls = `tls: { cert_file: ${join(this.#folder, "cert")}, key_file: ${join(this.#folder, "key")} }`;
    const file = (name: string) => `{ path: ${join(this.#folder, "out", name)} }`;
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
