// Runs commands of the ledger's own program as processes on a test's database. Imported by tests only.

import { serviceProgram } from "@annals/testing";
import { execFile } from "node:child_process";
import { expect } from "vitest";

interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `group` is the first word of the commands, such as `holds`. */
export function commandsOn(databaseUrl: string, group: string) {
  const run = (...words: string[]): Promise<Outcome> => {
    const main = serviceProgram("ledger");
    const env = { PATH: process.env["PATH"], ANNALS_DATABASE_URL: databaseUrl };
    const args = ["-C", "source", main, group, ...words];
    return new Promise((resolve) => {
      execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
        resolve({ status: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
      );
    });
  };
  /** What a command prints with --json. */
  const json = async (...words: string[]) => {
    const { status, stderr, stdout } = await run(...words, "--json");
    expect([status, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout);
  };
  return { run, json };
}
