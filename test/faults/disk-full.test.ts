// Guarantee: when PostgreSQL's disk is full, under load, appends are refused with a clear error in the error
// shape, what PostgreSQL can still read is read, nothing acknowledged is lost, and when there is room again
// all goes on by itself.

import { type Answer, eventually, HttpClient } from "@annals/testing";
import { randomBytes } from "node:crypto";
import { readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type Full, openSmallDisk, type SmallDisk, WAYS } from "./small-disk.ts";
import { report } from "../system/report.ts";
import { allServing, answerBeforeDurable, startTestbed, type Testbed } from "../system/testbed.ts";

const { fullForMs, ways } = inject("form").disk;
const WRITERS = 8;
/** What fills the disk, in an account of its own: batches of events that no compression makes small. */
const FILLERS = 2;
const EVENTS_OF_BATCH = 200;
/** Of one event: so few that PostgreSQL keeps them in the row itself, and not apart. */
const RANDOM_BYTES = 1_000;
const FULL_WITHIN_MS = 120_000;
/** PostgreSQL recovers from its log first, and is started again with pauses of up to a second. */
const RECOVERS_WITHIN_MS = 60_000;
const READ_INTERVAL_MS = 100;

function expectClear(refusals: readonly Answer[]): void {
  expect(refusals.length).toBeGreaterThan(0);
  for (const { status, body } of refusals) {
    expect(status).toBe(500);
    expect(body).toEqual({ error: { type: "server_error", message: expect.any(String) } });
  }
}

describe.each(WAYS.slice(0, ways))("%s", (way) => {
  let disk: SmallDisk;
  let bed: Testbed;

  beforeAll(async () => {
    disk = await openSmallDisk(way);
    bed = await startTestbed({ dataDir: disk.dataDir });
    await disk.prepare(bed.stack, bed.owner);
    // The log is no part of the disk, but where files are bounded it is a file like others: it is kept so
    // short that the panic after many errors has room in it.
    await bed.owner.query("ALTER SYSTEM SET log_min_error_statement = panic");
    await bed.owner.query("ALTER SYSTEM SET log_error_verbosity = terse");
    await bed.owner.query("SELECT pg_reload_conf()");
  });
  afterAll(async () => {
    await bed?.stop();
    await disk?.remove();
  });

  /** That a file may not grow is no transient fault: no client is asked to retry. */
  const unforeseen = (faults: readonly string[]): readonly string[] =>
    way === "a small file system"
      ? faults
      : faults.filter((fault) => !fault.startsWith("refused without Retry-After: Internal error"));

  /** Fills until `isOver`, however often it is refused, and keeps the refusals. */
  async function fillUntil(
    client: HttpClient,
    refusals: Answer[],
    isOver: () => boolean,
  ): Promise<void> {
    const text = randomBytes(RANDOM_BYTES).toString("base64");
    const events = Array.from({ length: EVENTS_OF_BATCH }, () => {
      return { action: "fill", metadata: { text } };
    });
    const fill = async (): Promise<void> => {
      while (!isOver()) {
        const answer = await client.post("/v1/events/batch", { events }).catch(() => undefined);
        if (answer?.status === 201) continue;
        if (answer !== undefined) refusals.push(answer);
        await pause(READ_INTERVAL_MS);
      }
    };
    await Promise.all(Array.from({ length: FILLERS }, fill));
  }

  const postgresLog = () => join(disk.dataDir, "log/postgres-1.log");

  /** Whether PostgreSQL's log says so: a table that cannot grow is an error, a log that cannot is a panic. */
  const isFull = async (what: Full): Promise<boolean> => {
    const log = await readFile(postgresLog(), "utf8");
    const severity = what === "everything" ? "PANIC:" : "ERROR:";
    const lines = log.split("\n");
    return lines.some((line) => line.includes(severity) && line.includes(disk.complaint));
  };

  /** Load while the disk becomes full, stays so, and has room again. */
  async function throughFull(what: Full, reads: (answer: Answer) => void) {
    const account = await bed.account();
    const client = account.clients[0] as HttpClient;
    const [first] = await account.load({ isIdempotent: () => true }).burst(1);
    const filler = (await bed.account()).clients[0] as HttpClient;
    await truncate(postgresLog());
    const writers = account.load();
    writers.start(WRITERS);
    await disk.fill(what);
    let isFreed = false;
    const refusals: Answer[] = [];
    const filling = fillUntil(filler, refusals, () => isFreed);
    await eventually("the disk is full", () => isFull(what), FULL_WITHIN_MS);
    const until = performance.now() + fullForMs;
    do {
      const id = first?.outcomes[0]?.stored?.id;
      for (const path of [`/v1/events/${id}`, "/v1/events?limit=5"]) reads(await client.get(path));
      await pause(READ_INTERVAL_MS);
    } while (performance.now() < until);
    await eventually("a batch is refused", () => refusals.length > 0, FULL_WITHIN_MS);
    await disk.free();
    isFreed = true;
    const freedAt = performance.now();
    await filling;
    await allServing(bed.stack);
    const recoveredMs = performance.now() - freedAt;
    await writers.stop();
    const appends = [...(first ? [first] : []), ...writers.appends];
    return { account, appends, refusals, recoveredMs };
  }

  test("a table is full: appends are refused, reads go on, and all goes on when there is room", async () => {
    const statuses: number[] = [];
    const { account, appends, refusals, recoveredMs } = await throughFull("a table", ({ status }) =>
      statuses.push(status),
    );
    expect(new Set(statuses)).toStrictEqual(new Set([200]));
    const refused = appends.filter(({ outcomes }) => outcomes[0]?.refused);
    expectClear(refusals);
    expect(unforeseen(await account.audit(appends))).toStrictEqual([]);
    expect(recoveredMs).toBeLessThan(RECOVERS_WITHIN_MS);
    report({
      appends: appends.length,
      refused: refused.length + refusals.length,
      reads: statuses.length,
      recoveredMs,
    });
  });

  test("everything is full: all is refused with a clear error, and goes on when there is room", async () => {
    const faults: string[] = [];
    const { account, appends, refusals, recoveredMs } = await throughFull(
      "everything",
      (answer) => {
        const type = answer.body?.error?.type;
        const isClear =
          answer.status === 200 ||
          (type === "server_error" && Number(answer.headers["retry-after"]) > 0);
        if (!isClear) faults.push(`${answer.status} ${answer.text}`);
      },
    );
    expect(faults).toStrictEqual([]);
    const refused = appends.filter(({ outcomes }) => outcomes[0]?.refused);
    expectClear(refusals);
    expect(unforeseen(await account.audit(appends))).toStrictEqual([]);
    expect(recoveredMs).toBeLessThan(RECOVERS_WITHIN_MS);
    report({ appends: appends.length, refused: refused.length + refusals.length, recoveredMs });
  });

  test("control: with synchronous_commit off the consistency check finds what the full disk has lost", async () => {
    await answerBeforeDurable(bed);
    const { account, appends } = await throughFull("everything", () => {});
    expect((await account.audit(appends)).join("; ")).toContain("acknowledged and lost");
  });
});
