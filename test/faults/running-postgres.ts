// PostgreSQL's processes as they run, to be killed. Called by the tests that kill PostgreSQL.

import { sendSignal } from "@annals/local";
import { eventually } from "@annals/testing";
import { expect } from "vitest";
import { processesOf, type Testbed } from "../system/testbed.ts";

/** A server process whose parent is gone ends at its next look, which is the end of its statement at most. */
const GONE_WITHIN_MS = 10_000;

/** The server's first process, and how to kill it, and with `all` every other one. */
export async function runningPostgres({ stack, owner }: Pick<Testbed, "stack" | "owner">) {
  const [postgres] = processesOf(stack, "postgres");
  const first = postgres?.pid();
  if (first === undefined) throw new Error("PostgreSQL does not run");
  // Its sessions, and its processes in the background.
  const rows = await owner.query<{ pid: number }>("SELECT pid FROM pg_stat_activity");
  const children = rows.map(({ pid }) => pid);
  expect(children.length).toBeGreaterThan(0);
  return {
    kill: (all: boolean): void => {
      expect(postgres?.kill("SIGKILL")).toBe(true);
      if (all) for (const pid of children) sendSignal(pid, "SIGKILL");
    },
    gone: () =>
      eventually(
        "every process of PostgreSQL is gone",
        () => ![first, ...children].some((pid) => sendSignal(pid, 0)),
        GONE_WITHIN_MS,
      ),
  };
}
