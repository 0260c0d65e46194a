// How much memory processes of a stack hold while something goes on. Called by flows that show that it is
// bounded.

import type { StackProcess } from "@annals/local";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** Undefined where the system does not say (it is not Linux). */
async function rssMb(one: StackProcess): Promise<number | undefined> {
  const status = `/proc/${one.pid()}/status`;
  if (!existsSync(status)) return undefined;
  return Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(status, "utf8"))?.[1]) / 1024;
}

/** The most memory that each of `processes` held while `work` went on. */
export async function peaks<T>(processes: readonly StackProcess[], work: () => Promise<T>) {
  const most = processes.map(() => 0);
  let done = false;
  const watching = (async () => {
    while (!done) {
      for (const [at, one] of processes.entries()) {
        most[at] = Math.max(most[at] ?? 0, (await rssMb(one)) ?? 0);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  const result = await work().finally(() => (done = true));
  await watching;
  return { result, most };
}
