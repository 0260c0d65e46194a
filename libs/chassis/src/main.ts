// What every main.ts of a service calls: finds the command on the command line, reads the settings that it
// needs and runs it. Faults of the configuration or of the command line go to standard error, without a
// stack. docs/operators/command-line.md has the table of exit statuses. It must never print a secret.

import { command, type Command, EXIT, flag, option, type Output, runCommands } from "@annals/cli";
import { type ConfigOf, parseConfig, type Settings } from "./config.ts";
import { createLog, type Logger, type LogLevel } from "./log.ts";

export interface CommandContext<S extends Settings> {
  readonly config: ConfigOf<S>;
  readonly log: Logger;
}

/** What `migrate` also gets: for how long it waits for a PostgreSQL that cannot be reached. */
export interface MigrateContext<S extends Settings> extends CommandContext<S> {
  readonly waitS: number;
}

/** What `serve` also gets: whether it drains when standard input ends. */
interface ServeContext<S extends Settings> extends CommandContext<S> {
  readonly exitWithStdin: boolean;
}

const MAX_WAIT_S = 86_400;

/** What a process was started with. */
interface Process {
  readonly service: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The command and its arguments. */
  readonly argv: readonly string[];
}

export interface MainOptions<S extends Settings, C extends Settings> extends Process {
  /** The settings of `serve`. */
  readonly settings: S;
  readonly serve: (context: ServeContext<S>) => Promise<void>;
  /** The other commands, which may need fewer settings. */
  readonly commands?: {
    readonly settings: C;
    readonly migrate: (context: MigrateContext<C>) => Promise<void>;
    readonly operator?: readonly Command<CommandContext<C>>[];
  };
}

export async function main<S extends Settings, C extends Settings>(
  options: MainOptions<S, C>,
): Promise<void> {
  const status = await statusOf(options, process);
  // Not only the exit code: what a failed start left open must not keep the process running.
  if (status !== EXIT.ok) process.exit(status);
}

/** Runs the command, and resolves to the exit status. `output` gets the help and what is at fault. */
export async function statusOf<S extends Settings, C extends Settings>(
  options: MainOptions<S, C>,
  output: Output,
): Promise<number> {
  try {
    return await runCommands(options.service, commandsOf(options), options.argv, output);
  } catch (error) {
    const line = listenFault(error, options);
    output.stderr.write(`${line ?? String(error instanceof Error ? error.stack : error)}\n`);
    return EXIT.failure;
  }
}

function commandsOf<S extends Settings, C extends Settings>(
  options: MainOptions<S, C>,
): readonly Command[] {
  const { commands, environment, serve, service: program } = options;
  const contextOf = <T extends Settings>(settings: T): CommandContext<T> => {
    const config = parseConfig(settings, environment);
    const level = (config["logLevel"] ?? "info") as LogLevel;
    return { config, log: createLog({ service: program, level }) };
  };
  const serving = {
    program,
    name: "serve",
    summary: "Run the service until SIGTERM or SIGINT",
    options: {
      "exit-with-stdin": flag(
        "Drain and exit when standard input ends too, for a parent that may die without a signal",
      ),
    },
  };
  const all = [
    command(serving, ({ "exit-with-stdin": exitWithStdin }) =>
      serve({ ...contextOf(options.settings), exitWithStdin }),
    ),
  ];
  if (!commands) return all;
  const { migrate, operator = [], settings } = commands;
  const migrating = {
    program,
    name: "migrate",
    summary: "Migrate the schema to this release",
    options: {
      wait: option(
        "<seconds>",
        "Wait this long for a PostgreSQL that cannot be reached or is starting (default 0)",
        asWaitS,
      ),
    },
  };
  return [
    ...all,
    command(migrating, ({ wait: waitS = 0 }) => migrate({ ...contextOf(settings), waitS })),
    ...operator.map((each) => ({
      ...each,
      run: (args: readonly string[]) => each.run(args, () => contextOf(settings)),
    })),
  ];
}

function asWaitS(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= MAX_WAIT_S) return Number(text);
  throw new Error(`must be an integer from 0 to ${MAX_WAIT_S}`);
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
