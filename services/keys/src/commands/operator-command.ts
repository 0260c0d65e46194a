// Parses the arguments of this service's operator commands, and prints their results as text, or with
// `--json` as the JSON of the admin API. Invalid arguments are refused before the database is opened.

import { UsageError, type VerbContext } from "@annals/chassis";
import { isScope, SCOPES } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import { parseArgs } from "node:util";
import type { SETTINGS } from "../config.ts";
import type { Plans } from "../domain/plan.ts";
import { operatorName } from "../domain/operator-name.ts";
import { readPlans } from "../plans-file.ts";
import { type Opened, withDatabase } from "./open.ts";

/** A parsed command. `work` resolves to the result, as text and as JSON. */
export interface Command {
  /** A plan that must exist in the plans file. */
  readonly plan?: string | undefined;
  readonly work: (opened: Opened, plans: Plans) => Promise<{ text: string; data: unknown }>;
}

/** Makes a command of `parse`, which gets the subcommand and its `--name VALUE` flags. */
export function verb(
  usage: string,
  parse: (word: string | undefined, args: Arguments) => Command | undefined,
): (context: VerbContext<typeof SETTINGS>) => Promise<void> {
  return async ({ config, log, words }) => {
    const args = new Arguments(words.slice(1), usage);
    const command = parse(words[0], args);
    if (!command) throw new UsageError(usage);
    const plans = await readPlans(config.plansFile);
    if (command.plan !== undefined && !plans.has(command.plan)) {
      throw new UsageError(
        `--plan: unknown plan "${command.plan}" (expected ${plans.names.join(", ")})`,
      );
    }
    const { text, data } = await withDatabase(config, log, (opened) => command.work(opened, plans));
    process.stdout.write(args.isJson ? `${JSON.stringify(data)}\n` : text);
  };
}

/** The flags after a subcommand. */
export class Arguments {
  readonly #words: readonly string[];
  readonly #usage: string;
  isJson = false;

  constructor(words: readonly string[], usage: string) {
    this.#words = words;
    this.#usage = usage;
  }

  /** Returns the trimmed values of the given flags. `--json` is always accepted. */
  options<Name extends string>(...known: readonly Name[]): Partial<Record<Name, string>> {
    const text = Object.fromEntries(known.map((name) => [name, { type: "string" as const }]));
    try {
      const { values } = parseArgs({
        args: [...this.#words],
        options: { ...text, json: { type: "boolean" } },
        strict: true,
      });
      const { json, ...rest } = values;
      this.isJson = json === true;
      const given = Object.entries(rest).map(([name, value]) => [name, String(value).trim()]);
      return Object.fromEntries(given) as Partial<Record<Name, string>>;
    } catch (error) {
      throw this.fault(error instanceof Error ? error.message : "invalid arguments");
    }
  }

  required(name: string, value: string | undefined): string {
    if (value === undefined || value === "") throw this.fault(`--${name} is required`);
    return value;
  }

  /** Returns a valid name, or throws. */
  name(option: string, value: string | undefined): string {
    try {
      return operatorName(this.required(option, value), `--${option}`);
    } catch (error) {
      throw error instanceof AnnalsError ? this.fault(error.message) : error;
    }
  }

  /** Parses `events:read,verify`; returns undefined if the flag is absent. */
  scopes(value: string | undefined): string[] | undefined {
    const scopes = value?.split(",");
    if (scopes?.every(isScope) === false) {
      throw this.fault(`--scopes: must be a comma-separated list of ${SCOPES.join(",")}`);
    }
    return scopes;
  }

  fault(message: string): UsageError {
    return new UsageError(`${message}\n${this.#usage}`);
  }
}
