// What an operator reads in the logs of a stack. Called by flows.

import type { Stack } from "@annals/local";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The lines about requests in the log of the first gateway. */
export function requestLines({ dataDir }: Pick<Stack, "dataDir">): Record<string, unknown>[] {
  return readFileSync(join(dataDir, "log/gateway-1.log"), "utf8")
    .split("\n")
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line));
}
