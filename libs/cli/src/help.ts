// The usage and the help of commands, made of their declarations. Called by command.ts and run-commands.ts.

import type { Command, Declaration } from "./declaration.ts";
import type { Option, Options } from "./options.ts";

/** The command with its options on one line: `annals verify --account <id> [--from <n>]`. */
export function usageOf<O extends Options, P extends string>({
  program = "annals",
  name,
  options = {} as O,
  positionals = [],
}: Declaration<O, P>): string {
  const words = Object.entries(options).map(([each, declared]) => {
    const typed = typedAs(each, declared);
    if (declared.isRequired) return typed;
    return declared.isRepeatable ? `[${typed}]...` : `[${typed}]`;
  });
  return [program, name, ...words, ...positionals.map((each) => `<${each}>`)]
    .filter(Boolean)
    .join(" ");
}

export function helpOf<O extends Options, P extends string>(
  declaration: Declaration<O, P>,
): string {
  const { details, examples = [], exitStatus, options = {}, summary } = declaration;
  const rows = Object.entries<Option<unknown>>(options).map(([name, declared]) => [
    typedAs(name, declared),
    declared.isRequired ? `${declared.about} (required)` : declared.about,
  ]);
  return paragraphs(
    `Usage: ${usageOf(declaration)}`,
    `${summary}.`,
    details,
    `Options:\n${table([...rows, ["-h, --help", "Show this help"]])}`,
    examplesOf(examples),
    exitStatus && `Exit status: ${exitStatus}.`,
  );
}

/** The help of commands whose names begin with one word. */
export function groupHelp(commands: readonly Command[]): string {
  return paragraphs(
    groupUsage(commands),
    listOf(commands),
    examplesOf(commands.flatMap(({ examples }) => examples)),
    "Run a command with --help for its options.",
  );
}

export function groupUsage(commands: readonly Command[]): string {
  return commands.map(({ usage }, at) => `${at === 0 ? "Usage:" : "      "} ${usage}`).join("\n");
}

/** The help of a program that has several commands. */
export function programHelp(commands: readonly Command[], program: string): string {
  return paragraphs(
    `Usage: ${program} <command> [options]`,
    listOf(commands),
    `Run "${program} <command> --help" for the options of a command, with examples.`,
    "Exit status: 0 success, 1 failure, 2 usage or configuration error, 3 check failed.",
  );
}

function typedAs(name: string, { placeholder }: Option<unknown>): string {
  return placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`;
}

function listOf(commands: readonly Command[]): string {
  return `Commands:\n${table(commands.map(({ name, summary }) => [name, summary]))}`;
}

function examplesOf(examples: readonly string[]): string | undefined {
  if (examples.length === 0) return undefined;
  return `Examples:\n${examples.map((example) => `  ${example}`).join("\n")}`;
}

function table(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([left = ""]) => left.length));
  return rows.map(([left = "", right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}

function paragraphs(...texts: readonly (string | undefined)[]): string {
  return texts.filter(Boolean).join("\n\n");
}
