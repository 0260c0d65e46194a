// Exports that are interrupted while they are written. Called by the tests of flows.

import type { Stack, StackProcess } from "@annals/local";
import { eventually, type ownerOf } from "@annals/testing";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** The replica that writes something now, once one does. */
function writing(stack: Stack): Promise<StackProcess> {
  return eventually("a replica writes", async () => {
    for (const one of stack.processes.filter(({ service }) => service === "export")) {
      const page = await fetch(`${one.adminUrl}/metrics`).then((answer) => answer.text());
      if (/^annals_exports_running(?:\{[^}]*\})? 1$/m.test(page)) return one;
    }
    return undefined;
  });
}

/**
 * An export that is in the middle for as long as `work` takes, however fast the machine is: the ledger
 * is paused once some bytes are written to the file.
 */
export async function inTheMiddle<T>(
  stack: Stack,
  accountId: string,
  id: string,
  work: (writer: StackProcess) => Promise<T>,
): Promise<T> {
  const directory = join(stack.dataDir, "exports", accountId);
  const ledger = stack.processes.find(({ service }) => service === "ledger");
  await eventually("a file was begun", async () => {
    const names = await readdir(directory).catch(() => []);
    const part = names.find((name) => name.startsWith(`${id}.`) && name.endsWith(".part"));
    return part !== undefined && (await stat(join(directory, part))).size > 0;
  });
  ledger?.kill("SIGSTOP");
  try {
    return await work(await writing(stack));
  } finally {
    ledger?.kill("SIGCONT");
  }
}

/** The lease of an export ends, as if its writer had not renewed it for the fifteen seconds that it lasts. */
export const endLease = (owner: ReturnType<typeof ownerOf>, id: string) =>
  owner.query("UPDATE exports.jobs SET due_at = now() WHERE id = $1 AND status = 'running'", [id]);
