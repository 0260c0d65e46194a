// Exports that are interrupted while they are written. Called by the tests of flows.

import type { Stack, StackProcess } from "@annals/local";
import { eventually, type ownerOf } from "@annals/testing";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Between two probes: a file of some megabytes takes many times as long, and must not be missed. */
const PROBE_INTERVAL_MS = 5;
const BEGUN_WITHIN_MS = 30_000;

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

/** Resolves when some bytes of the file are written. Rejects at once if it was complete when it was seen. */
async function begun(directory: string, id: string): Promise<void> {
  const deadline = performance.now() + BEGUN_WITHIN_MS;
  while (performance.now() < deadline) {
    const names = await readdir(directory).catch(() => []);
    const name = names.find((each) => each.startsWith(`${id}.`));
    if (name?.endsWith(".part") === false)
      throw new Error(`${name} was written between two probes`);
    const file = name && (await stat(join(directory, name)).catch(() => {}));
    if (file && file.size > 0) return;
    await pause(PROBE_INTERVAL_MS);
  }
  throw new Error(`a file of ${id} was not begun within ${BEGUN_WITHIN_MS} ms`);
}

/**
 * An export that is in the middle for as long as `work` takes: the ledger is paused once some bytes are
 * written to the file. A file that is written between two probes is missed: then this fails, and says so.
 */
export async function inTheMiddle<T>(
  stack: Stack,
  accountId: string,
  id: string,
  work: (writer: StackProcess) => Promise<T>,
): Promise<T> {
  const ledger = stack.processes.find(({ service }) => service === "ledger");
  await begun(join(stack.dataDir, "exports", accountId), id);
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
