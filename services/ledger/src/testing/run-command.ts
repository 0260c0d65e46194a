// Runs commands of the ledger on a test's database, in the process of the test. Imported by tests only.

import { statusOf } from "@annals/chassis";
import { captured } from "@annals/testing";
import { expect } from "vitest";
import { PROGRAM } from "../program.ts";

/** Runs a command line. */
export function runCommand(
  databaseUrl: string,
  argv: readonly string[],
  variables: Readonly<Record<string, string>> = {},
) {
  const environment = { ANNALS_DATABASE_URL: databaseUrl, ...variables };
  return captured(() => statusOf({ ...PROGRAM, environment, argv }, process));
}

/** `group` is the first word of the commands, such as `holds`. */
export function commandsOn(databaseUrl: string, group: string) {
  const run = (...words: string[]) => runCommand(databaseUrl, [group, ...words]);
  /** What a command prints with --json. */
  const json = async (...words: string[]) => {
    const { status, stderr, stdout } = await run(...words, "--json");
    expect([status, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout);
  };
  return { run, json };
}
