// What every main.ts calls: reads the configuration, finds the verb on the command line and runs it. Faults
// of the configuration or of the command line go to standard error, all at once, and the process ends with
// status 2; a verb that fails ends it with 1. docs/operators/command-line.md has the table of statuses. It
// must never print a secret.

import { ConfigError, type ConfigOf, parseConfig, type Settings } from "./config.ts";
import { createLog, type Logger, type LogLevel } from "./log.ts";

export interface VerbContext<S extends Settings> {
  readonly config: ConfigOf<S>;
  readonly log: Logger;
  /** The arguments after the verb. */
  readonly words: readonly string[];
}

export interface MainOptions<S extends Settings> {
  readonly service: string;
  readonly settings: S;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly argv: readonly string[];
  readonly verbs: Readonly<Record<string, (context: VerbContext<S>) => Promise<void>>>;
  /** What `<verb> --help` prints: usage and examples. It needs no setting. */
  readonly help?: Readonly<Record<string, string>>;
}

export async function main<S extends Settings>(options: MainOptions<S>): Promise<void> {
  const [name = "", ...words] = options.argv;
  const verb = Object.hasOwn(options.verbs, name) ? options.verbs[name] : undefined;
  if (!verb) {
    const isHelp = name === "--help";
    const usage = `Usage: ${options.service} ${Object.keys(options.verbs).join(" | ")}\n`;
    process[isHelp ? "stdout" : "stderr"].write(usage);
    process.exitCode = isHelp ? 0 : 2;
    return;
  }
  const help = options.help?.[name];
  if (help !== undefined && words.includes("--help")) {
    process.stdout.write(help);
    return;
  }
  try {
    const config = parseConfig(options.settings, options.environment);
    const level = (config["logLevel"] ?? "info") as LogLevel;
    await verb({ config, log: createLog({ service: options.service, level }), words });
  } catch (error) {
    const isUsage = error instanceof ConfigError || error instanceof UsageError;
    const isPlain = isUsage || error instanceof CommandError;
    const line = isPlain ? error.message : listenFault(error, options);
    process.stderr.write(`${line ?? String(error instanceof Error ? error.stack : error)}\n`);
    // Not only the exit code: what a failed start left open must not keep the process running.
    process.exit(isUsage ? 2 : 1);
  }
}

/** The settings that have a port to listen on. */
const LISTENING = /_(PORT|API_ADDRESS)$/;

/** One line for a port that cannot be listened on, with its setting; undefined for any other error. */
function listenFault<S extends Settings>(
  error: unknown,
  { settings, environment }: MainOptions<S>,
): string | undefined {
  const {
    syscall,
    code,
    address,
    port,
  }: NodeJS.ErrnoException & { address?: string; port?: number } =
    error instanceof Error ? error : new Error();
  if (syscall !== "listen" || port === undefined) return undefined;
  const setting = Object.values(settings).find(
    ({ env, fallback }) =>
      LISTENING.test(env) && Number((environment[env] || fallback)?.split(":").at(-1)) === port,
  );
  const why = code === "EADDRINUSE" ? "another process uses it" : String(code);
  return `${setting?.env ?? "a port"}: cannot listen on port ${port} of ${address} (${why})`;
}

/** A fault of the command line; the message says what is wanted. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A verb that failed for a reason that needs no stack; the message says what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
