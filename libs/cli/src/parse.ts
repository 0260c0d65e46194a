// Parses the arguments of a command by its declaration. Node reads the command line; here each fault becomes
// a sentence that names the option and says what to do. Called by command.ts.

import { nearest } from "@annals/contract";
import { escapeHidden } from "@annals/event/text";
import { parseArgs } from "node:util";
import type { Arguments, Declaration } from "./declaration.ts";
import { UsageError } from "./exit.ts";
import { usageOf } from "./help.ts";
import type { Option, Options } from "./options.ts";

/** The value of each option and positional. Throws a UsageError for the first fault. */
export function parseArguments<O extends Options, P extends string>(
  declaration: Declaration<O, P>,
  args: readonly string[],
): Arguments<O, P> {
  const { options = {}, positionals = [] } = declaration;
  const fault = (message: string) => new UsageError(`${message}\nUsage: ${usageOf(declaration)}`);
  const given = new Map<string, string[]>();
  const words: string[] = [];
  for (const token of tokensOf(args, options)) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const message = optionFault(token, options);
    if (message !== undefined) throw fault(message);
    given.set(token.name, [...(given.get(token.name) ?? []), token.value ?? ""]);
  }
  const [extra] = words.slice(positionals.length);
  if (extra !== undefined) throw fault(`unexpected argument ${quote(extra)}`);
  const values = Object.entries<Option<unknown>>(options).map(([name, option]) => {
    const texts = given.get(name) ?? [];
    if (option.isRequired && !texts.at(-1)?.trim()) throw fault(`--${name} is required`);
    try {
      return [name, option.read(texts)];
    } catch (error) {
      throw fault(`--${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
  const missing = positionals[words.length];
  if (missing !== undefined) throw fault(`<${missing}> is required`);
  const named = positionals.map((name, at) => [name, words[at]]);
  return Object.fromEntries([...values, ...named]) as Arguments<O, P>;
}

function tokensOf(args: readonly string[], options: Options) {
  const types = Object.entries(options).map(([name, { placeholder }]) => {
    return [name, { type: placeholder === undefined ? "boolean" : "string" }] as const;
  });
  return parseArgs({
    args: [...args],
    options: Object.fromEntries(types),
    allowPositionals: true,
    strict: false,
    tokens: true,
  }).tokens;
}

interface OptionToken {
  readonly name: string;
  /** The name with its dashes. */
  readonly rawName: string;
  readonly value?: string | undefined;
  /** Whether the value was typed as `--name=value`. */
  readonly inlineValue?: boolean | undefined;
}

function optionFault(token: OptionToken, options: Options): string | undefined {
  const { inlineValue, name, rawName, value } = token;
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!option) {
    const meant = nearest(name, Object.keys(options), mostEdits(name));
    const advice = meant === undefined ? "" : `; did you mean --${meant}?`;
    return `unknown option ${quote(rawName)}${advice}`;
  }
  const { placeholder } = option;
  if (placeholder === undefined)
    return value === undefined ? undefined : `${rawName} does not take a value`;
  if (value === undefined) return `${rawName} requires a value: ${rawName} ${placeholder}`;
  // Most likely the value was forgotten, and this is the next option.
  if (inlineValue === false && value.length > 1 && value.startsWith("-")) {
    return `${rawName} requires a value: write ${rawName}=${placeholder} for one that begins with "-"`;
  }
  return undefined;
}

/** Edits between a misspelled word and the one that is suggested for it, at most. */
export function mostEdits(word: string): number {
  return Math.floor(word.length / 2);
}

/** What was typed may be the name of a file, and must not control the terminal. */
export function quote(text: string): string {
  return `"${escapeHidden(text)}"`;
}
