// What a command is: the declaration that a program writes, and the command that is made of it. It has no
// logic.

import type { Options, ValuesOf } from "./options.ts";

export interface Declaration<O extends Options, P extends string> {
  /** The first word that is typed; `annals` by default. */
  readonly program?: string;
  /** What follows the program, such as `accounts create`; empty for a program that is one command. */
  readonly name: string;
  /** What it does, as an imperative without a period. */
  readonly summary: string;
  /** Further sentences of the help. Lines are shown as they are. */
  readonly details?: string;
  readonly options?: O;
  /** Names of the arguments that are not options. All are required. */
  readonly positionals?: readonly P[];
  readonly examples?: readonly string[];
  /** What the statuses of this command mean, such as `0 valid, 3 invalid`. */
  readonly exitStatus?: string;
}

export type Arguments<O extends Options, P extends string> = ValuesOf<O> &
  Readonly<Record<P, string>>;

export interface Command<Context = undefined> {
  readonly name: string;
  readonly summary: string;
  /** One line, from the program on. */
  readonly usage: string;
  readonly examples: readonly string[];
  /** Undefined for a command that another program runs: `--help` is then among its arguments. */
  readonly help: string | undefined;
  /**
   * Parses `args`, which come after the name, and does the work. Resolves to the exit status, 0 by default.
   * Rejects with a UsageError for wrong arguments, before it asks for the context.
   */
  readonly run: (args: readonly string[], context: () => Context) => Promise<number | void>;
}
