// What an operator runs on a machine of their own. Called by the tests of restores and failovers.

import type { Stack } from "@annals/local";
import { serviceProgram } from "@annals/testing";
import { execFile } from "node:child_process";

/** A verb of a service. */
export function runVerb(stack: Pick<Stack, "databaseUrl">, service: string, ...words: string[]) {
  const main = serviceProgram(service);
  const env = { PATH: process.env["PATH"], ANNALS_DATABASE_URL: stack.databaseUrl };
  return new Promise<{ status: number; stdout: string }>((resolve) => {
    execFile(process.execPath, ["-C", "source", main, ...words], { env }, (error, stdout) =>
      resolve({ status: error ? Number(error.code ?? 1) : 0, stdout }),
    );
  });
}
