// What an operator types and reads, on a stack of the tests. Called by audit.test.ts.

import type { Stack } from "@annals/local";
import { serviceProgram } from "@annals/testing";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** `keys accounts` with these words; resolves to what it prints. */
export async function runAccountsCommand(
  { databaseUrl }: Pick<Stack, "databaseUrl">,
  words: readonly string[],
): Promise<string> {
  const args = ["-C", "source", serviceProgram("keys"), "accounts", ...words];
  const { NODE_COMPILE_CACHE, PATH } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ANNALS_DATABASE_URL: databaseUrl };
  return (await promisify(execFile)(process.execPath, args, { env })).stdout;
}

/** The lines about requests in the log of the first gateway. */
export function requestLines({ dataDir }: Pick<Stack, "dataDir">): Record<string, unknown>[] {
  return readFileSync(join(dataDir, "log/gateway-1.log"), "utf8")
    .split("\n")
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line));
}
