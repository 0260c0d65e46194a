// Runs the command that a command line names. Called by the main.ts of each program. It must never print a
// stack for what a person typed, nor anything but results on standard output.

import { nearest } from "@annals/contract";
import type { Command } from "./declaration.ts";
import { CommandError, EXIT, UsageError } from "./exit.ts";
import { groupHelp, groupUsage, programHelp } from "./help.ts";
import { mostEdits, quote } from "./parse.ts";

export interface Output {
  readonly stdout: { readonly write: (text: string) => unknown };
  readonly stderr: { readonly write: (text: string) => unknown };
}

/**
 * Resolves to the exit status. Rejects with an error of the command that is neither a UsageError nor a
 * CommandError.
 */
export async function runCommands(
  program: string,
  commands: readonly Command[],
  argv: readonly string[],
  { stderr, stdout }: Output = process,
): Promise<number> {
  try {
    const named = commands.find(({ name }) => wordsOf(name).every((word, at) => word === argv[at]));
    const args = named ? argv.slice(wordsOf(named.name).length) : argv;
    const help = named ? named.help : helpFor(program, commands, argv);
    if (help !== undefined && asksForHelp(args)) {
      stdout.write(`${help}\n`);
      return EXIT.ok;
    }
    if (!named) throw new UsageError(unknownCommand(program, commands, argv));
    return (await named.run(args, () => undefined)) ?? EXIT.ok;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof CommandError)) throw error;
    stderr.write(`${error.message}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failure;
  }
}

/** Whether `--help` or `-h` is among the options. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  const options = end === -1 ? args : args.slice(0, end);
  return options.includes("--help") || options.includes("-h");
}

function helpFor(program: string, commands: readonly Command[], argv: readonly string[]): string {
  const group = groupOf(commands, argv[0]);
  return group.length === 0 ? programHelp(commands, program) : groupHelp(group);
}

/** The commands whose names begin with `word`. */
function groupOf(commands: readonly Command[], word: string | undefined): readonly Command[] {
  return commands.filter(({ name }) => wordsOf(name)[0] === word);
}

/** Says what is wrong with a command line that names no command, and what to do. */
function unknownCommand(
  program: string,
  commands: readonly Command[],
  argv: readonly string[],
): string {
  const firstOption = argv.findIndex((word) => word.startsWith("-"));
  const typed = firstOption === -1 ? argv : argv.slice(0, Math.max(firstOption, 1));
  const [first, second] = typed;
  if (first === undefined) return programHelp(commands, program);
  const group = groupOf(commands, first);
  if (group.length === 0) {
    const words = commands.map(({ name }) => wordsOf(name)[0] ?? "");
    const next = `Run "${program} --help" for the list of commands.`;
    return `${unknown(typed, nearest(first, words, mostEdits(first)))}\n${next}`;
  }
  if (second === undefined) return groupUsage(group);
  const names = group.map(({ name }) => name);
  const meant = nearest(`${first} ${second}`, names, mostEdits(second));
  return `${unknown(typed, meant)}\n${groupUsage(group)}`;
}

function unknown(typed: readonly string[], meant: string | undefined): string {
  const advice = meant === undefined ? "" : `; did you mean "${meant}"?`;
  return `unknown command ${quote(typed.join(" "))}${advice}`;
}

function wordsOf(name: string): readonly string[] {
  return name === "" ? [] : name.split(" ");
}
