// How the operator's verbs of this service read their words and print: as lines for a person, or with
// `--json` as the JSON of the admin API. Wrong words are refused before a database is asked.

import { UsageError, type VerbContext } from "@annals/chassis";
import { isScope, SCOPES } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import { parseArgs } from "node:util";
import type { SETTINGS } from "../config.ts";
import type { Plans } from "../domain/plan.ts";
import { operatorName } from "../domain/operator-name.ts";
import { readPlans } from "../plans-file.ts";
import { type Opened, withDatabase } from "./open.ts";

/** What a verb was asked to do; `work` resolves to what is printed, for a person and as JSON. */
export interface Asked {
  /** A plan that must be in the file of plans. */
  readonly plan?: string | undefined;
  readonly work: (opened: Opened, plans: Plans) => Promise<{ text: string; data: unknown }>;
}

/** `parse` gets the word after the verb and the `--name VALUE` words after it. */
export function verb(
  usage: string,
  parse: (word: string | undefined, given: Given) => Asked | undefined,
): (context: VerbContext<typeof SETTINGS>) => Promise<void> {
  return async ({ config, log, words }) => {
    const given = new Given(words.slice(1), usage);
    const asked = parse(words[0], given);
    if (!asked) throw new UsageError(usage);
    const plans = await readPlans(config.plansFile);
    if (asked.plan !== undefined && !plans.has(asked.plan)) {
      throw new UsageError(
        `--plan: there is no plan ${asked.plan}: there are ${plans.names.join(", ")}`,
      );
    }
    const { text, data } = await withDatabase(config, log, (opened) => asked.work(opened, plans));
    process.stdout.write(given.isJson ? `${JSON.stringify(data)}\n` : text);
  };
}

/** The words after a verb. */
export class Given {
  readonly #words: readonly string[];
  readonly #usage: string;
  isJson = false;

  constructor(words: readonly string[], usage: string) {
    this.#words = words;
    this.#usage = usage;
  }

  /** The values of the options, trimmed; those that are not given are absent. `--json` is always known. */
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
      throw this.fault(error instanceof Error ? error.message : "wrong options");
    }
  }

  required(name: string, value: string | undefined): string {
    if (value === undefined || value === "") throw this.fault(`--${name} is required`);
    return value;
  }

  /** Checks a name that an operator gives. */
  name(option: string, value: string | undefined): string {
    try {
      return operatorName(this.required(option, value), `--${option}`);
    } catch (error) {
      throw error instanceof AnnalsError ? this.fault(error.message) : error;
    }
  }

  /** `events:read,verify`; undefined where it is not given. */
  scopes(value: string | undefined): string[] | undefined {
    const scopes = value?.split(",");
    if (scopes?.every(isScope) === false) {
      throw this.fault(`--scopes: must be of ${SCOPES.join(",")}, with commas between`);
    }
    return scopes;
  }

  fault(message: string): UsageError {
    return new UsageError(`${message}\n${this.#usage}`);
  }
}
