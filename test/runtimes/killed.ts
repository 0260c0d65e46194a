// A process with a spool is killed, and the next one sends what it has left. Called by runtimes.test.ts for
// each runtime that has files.

import { Annals } from "@annals/sdk";
import { eventually, newAccount } from "@annals/testing";
import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import type { Installed } from "../sdk/installed.ts";
import { ended, startWithAccount } from "../sdk/readme-blocks.ts";

/** `command` runs spool.mjs. */
export function testKilled(
  command: readonly string[],
  folder: string,
  installed: () => Installed,
): void {
  test("what a killed process has tracked is sent by the next one, first and once", async () => {
    const { baseUrl, databaseUrl } = inject("stack");
    const { key } = await newAccount(databaseUrl);
    const dir = join(installed().folder, folder);
    const start = (more: Readonly<Record<string, string>>) => {
      const env = { SPOOL_DIR: dir, ANNALS_KEY: key, ...more };
      return startWithAccount(command, installed().folder, env);
    };
    const first = await start({ AWAY: "http://127.0.0.1:1" });
    await eventually("tracked events", () => first.printed() === "tracked");
    first.child.kill("SIGKILL");
    await ended(first.child);
    // Deno shows no process without all rights: its folder is free after a minute.
    for (const owner of await readdir(dir)) await utimes(join(dir, owner, "owner.json"), 0, 0);
    const next = await start({});
    expect(await ended(next.child), next.said()).toBe(0);
    const kept = { refused: 0, unconfirmed: 0, damaged: 0, waiting: 0 };
    expect([JSON.parse(next.printed()), await readdir(dir)]).toEqual([kept, []]);
    const { events } = new Annals({ baseUrl, apiKey: key });
    const all = await events.list({ order: "asc", limit: 100 }).toArray();
    const numbers = Array.from({ length: 201 }, (_, at) => at + 1);
    expect(all.map(({ metadata }) => metadata["number"])).toEqual(numbers);
  });
}
