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

/** Verbs, and the settings that they read. */
interface Verbs<S extends Settings> {
  readonly settings: S;
  readonly verbs: Readonly<Record<string, (context: VerbContext<S>) => Promise<void>>>;
}

/** What a process was started with. */
interface Process {
  readonly service: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The verb and its arguments. */
  readonly argv: readonly string[];
}

export interface MainOptions<S extends Settings, C extends Settings> extends Verbs<S>, Process {
  /** Verbs that need fewer settings than the others. */
  readonly commands?: Verbs<C>;
  /** What `<verb> --help` prints: usage and examples. It needs no setting. */
  readonly help?: Readonly<Record<string, string>>;
}

export async function main<S extends Settings, C extends Settings = S>(
  options: MainOptions<S, C>,
): Promise<void> {
  const { commands, verbs } = options;
  const [name = "", ...words] = options.argv;
  const isCommand = commands !== undefined && Object.hasOwn(commands.verbs, name);
  if (!isCommand && !Object.hasOwn(verbs, name)) {
    const isHelp = name === "--help";
    const names = Object.keys({ ...verbs, ...commands?.verbs });
    const usage = `Usage: ${options.service} ${names.join(" | ")}\n`;
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
    await (isCommand ? runVerb(commands, options) : runVerb(options, options));
  } catch (error) {
    const isUsage = error instanceof ConfigError || error instanceof UsageError;
    const isPlain = isUsage || error instanceof CommandError;
    const line = isPlain ? error.message : listenFault(error, options);
    process.stderr.write(`${line ?? String(error instanceof Error ? error.stack : error)}\n`);
    // Not only the exit code: what a failed start left open must not keep the process running.
    process.exit(isUsage ? 2 : 1);
  }
}

async function runVerb<S extends Settings>(
  { settings, verbs }: Verbs<S>,
  { argv: [name = "", ...words], environment, service }: Process,
): Promise<void> {
  const config = parseConfig(settings, environment);
  const level = (config["logLevel"] ?? "info") as LogLevel;
  await verbs[name]?.({ config, log: createLog({ service, level }), words });
}

/** The settings that have a port to listen on. */
const LISTENING = /_(PORT|API_ADDRESS)$/;

/** One line for a port that cannot be listened on, with its setting; undefined for any other error. */
function listenFault(
  error: unknown,
  { settings, environment }: Pick<Process, "environment"> & { readonly settings: Settings },
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
