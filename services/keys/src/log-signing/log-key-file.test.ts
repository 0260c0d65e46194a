// Guarantees: a key of the log that has signed stays until a newer one has signed for the time of the
// overlap. A file that leaves it out earlier neither starts the service nor replaces another file, unless the
// operator says that the key was stolen. No message shows a key. With a real PostgreSQL, the service's own
// rights and a controlled clock.

import { Closers, ConfigError, createLog, parseConfig } from "@annals/chassis";
import { type Clock, formatMicros } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";
import { SETTINGS } from "../config.ts";
import { parseLogKeys } from "./rules/log-keys.ts";
import { openLogSigner } from "./log-key-file.ts";
import { migratedDatabase, runCommand } from "../testing/database.ts";
import { callsOf, HeadLog, keysOf, newKeyLine, readNote } from "../testing/head-log.ts";

const SETTING = "ANNALS_LOG_KEY_FILE";
const DAY_MICROS = 86_400_000_000;
const START = Date.UTC(2026, 2, 1) * 1000;
const [OLD, NEW, NEWER] = [newKeyLine(), newKeyLine(), newKeyLine()];

let owner: TestDatabase;
let pool: Pool;
let folder: string;
let file: string;
/** Days since the start. */
let days: number;
let log: HeadLog;

beforeAll(async () => {
  ({ owner, service: pool } = await migratedDatabase(afterAll));
  folder = await mkdtemp(join(tmpdir(), "annals-log-key-"));
  file = join(folder, "log-key");
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  await owner.query("TRUNCATE keys.signed_heads, keys.log_keys");
  days = 0;
  log = new HeadLog("log.example.com");
});

const clock: Clock = {
  nowMicros: () => START + days * DAY_MICROS,
  nowText: () => formatMicros(clock.nowMicros()),
};

/** Replaces the file at once, as Kubernetes does it. */
async function write(...lines: readonly string[]): Promise<void> {
  await writeFile(`${file}.new`, lines.join("\n"));
  await rename(`${file}.new`, file);
}

/** Starts a process with these lines. It reads the file again without a pause. */
async function start(lines: readonly string[], variables: Record<string, string> = {}) {
  await write(...lines);
  const closers = new Closers();
  const quiet = createLog({ service: "test", level: "error" });
  const error = vi.fn<(fields: object, message: string) => void>();
  onTestFinished(() => closers.closeAll(quiet));
  const config = parseConfig(SETTINGS, {
    ANNALS_DATABASE_URL: owner.url,
    [SETTING]: file,
    ...variables,
  });
  const rollbacks = { inc: () => {} };
  const around = { clock, closers, database: pool, rollbacks, intervalMs: 5 };
  const signer = await openLogSigner(config, { ...around, log: Object.assign(quiet, { error }) });
  return { signer, error, ...callsOf(signer) };
}

/** Who signs the next epoch. */
async function signedBy({ signEpoch }: ReturnType<typeof callsOf>, ...lines: readonly string[]) {
  const { checkpoint } = await signEpoch(log.grow().epoch());
  return readNote(checkpoint, keysOf(...lines)).by;
}

const publicKeys = (...lines: readonly string[]) => keysOf(...lines).publicKeys;

/** The old key signs at day 0, and from day 10 on the new one beside it. */
async function rotated() {
  await signedBy(await start([OLD]), OLD);
  days = 10;
  const both = await start([NEW, OLD]);
  expect(await signedBy(both, NEW, OLD)).toEqual(publicKeys(NEW, OLD));
  return both;
}

describe("a file", () => {
  test("is not needed: then there is no key", async () => {
    const config = parseConfig(SETTINGS, { ANNALS_DATABASE_URL: owner.url });
    const around = { clock, closers: new Closers(), database: pool, rollbacks: { inc: () => {} } };
    const quiet = createLog({ service: "test", level: "error" });
    const { file: keys } = await openLogSigner(config, { ...around, log: quiet });
    expect(keys).toEqual({ seeds: [], publicKeys: [] });
  });

  test("has comments and empty lines, and its keys in their order", async () => {
    const { signer } = await start(["# newest first", NEW, "", OLD, ""]);
    expect(signer.file.publicKeys).toEqual(publicKeys(NEW, OLD));
  });

  test.each([
    ["a key id", [`one:${OLD}`], "line 1 is not"],
    ["another length", ["# c", OLD.slice(4)], "line 2 is not"],
    ["the same bytes in another text", [`${"A".repeat(42)}B=`], "line 1 is not"],
    ["a key twice", [OLD, OLD], "line 2 repeats a key"],
    ["only a comment", ["# newest first"], "contains no key"],
    ["nine keys", Array.from({ length: 9 }, newKeyLine), "contains more than 8 keys"],
  ])("with %s does not start the service, and the error shows no key", async (_, lines, fault) => {
    const started = start(lines);
    await expect(started).rejects.toThrow(`${SETTING} ${file}: ${fault}`);
    await expect(started).rejects.toBeInstanceOf(ConfigError);
    await expect(started).rejects.not.toThrow(OLD.slice(4, 20));
  });

  test("that is new signs without a restart", async () => {
    const both = await start([OLD]);
    expect(await signedBy(both, OLD)).toEqual(publicKeys(OLD));
    await write(NEW, OLD);
    await vi.waitFor(() => expect(both.signer.file.publicKeys).toHaveLength(2));
    expect(await signedBy(both, NEW, OLD)).toEqual(publicKeys(NEW, OLD));
  });
});

describe("a key that has signed may be left out", () => {
  test("once a newer one has signed for 90 days, and not a moment before", async () => {
    await rotated();
    days = 99.999;
    await expect(start([NEW])).rejects.toThrow(
      "which has signed: it must stay until 2026-06-09, 90 days after a newer key has first signed",
    );
    days = 100;
    expect(await signedBy(await start([NEW]), NEW)).toEqual(publicKeys(NEW));
  });

  test("not while it is the newest one that has signed, in any number of processes", async () => {
    for (let processes = 0; processes < 2; processes += 1) await signedBy(await start([OLD]), OLD);
    days = 1_000;
    for (const lines of [[NEW], [NEW, NEWER]])
      await expect(start(lines)).rejects.toThrow(
        `the public key ${publicKeys(OLD)[0]?.toString("base64")}, which has signed: it must stay until 90 days`,
      );
  });

  test("at any time if it has never signed", async () => {
    await signedBy(await start([OLD]), OLD);
    await start([NEW, OLD]);
    expect((await start([NEWER, OLD])).signer.file.publicKeys).toEqual(publicKeys(NEWER, OLD));
  });

  test("at once if the operator says that it was stolen, and then stays left out", async () => {
    await rotated();
    const stolen = { ANNALS_DANGEROUS_LOG_KEY_WITHOUT_OVERLAP: "true" };
    const keys = await start([NEWER], stolen);
    expect(await signedBy(keys, NEWER)).toEqual(publicKeys(NEWER));
    await expect(start([NEWER])).rejects.toThrow(ConfigError);
    days += 90;
    expect((await start([NEWER])).signer.file.publicKeys).toEqual(publicKeys(NEWER));
  });

  test("by a process with a file of before, without superseding the newer key", async () => {
    const both = await rotated();
    const [lines] = await owner.query(
      "SELECT superseded_at FROM keys.log_keys ORDER BY first_used_at",
    );
    both.signer.use(parseLogKeys(OLD));
    days = 200;
    await expect(both.signEpoch(log.grow().epoch())).rejects.toMatchObject({ kind: "unavailable" });
    expect(
      await owner.query("SELECT superseded_at FROM keys.log_keys ORDER BY first_used_at"),
    ).toEqual([lines, { superseded_at: null }]);
  });
});

test("a file that leaves out a key too early does not replace the one in use, and is reported once", async () => {
  const both = await rotated();
  await write(NEW);
  await vi.waitFor(() => expect(both.error).toHaveBeenCalled());
  const reason = expect.stringContaining("it must stay until 2026-06-09");
  const message = "failed to load new keys: keeping the current ones";
  expect(both.error.mock.calls).toEqual([[{ setting: SETTING, reason }, message]]);
  expect(await signedBy(both, NEW, OLD)).toEqual(publicKeys(NEW, OLD));
  days = 100;
  await vi.waitFor(() => expect(both.signer.file.publicKeys).toEqual(publicKeys(NEW)));
});

test("a database that cannot be asked yet does not keep the service from starting; it signs nothing then", async () => {
  await rotated();
  await owner.query("ALTER TABLE keys.log_keys RENAME TO log_keys_away");
  const keys = await start([NEW]);
  await owner.query("ALTER TABLE keys.log_keys_away RENAME TO log_keys");
  await expect(keys.signEpoch(log.grow().epoch())).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringContaining("leaves out the key"),
  });
});

test("the service as a process says so, and ends", async () => {
  await signedBy(await start([OLD]), OLD);
  await write(NEW);
  const secrets = join(folder, "admission-secrets");
  await writeFile(secrets, `one:${OLD}`);
  const { status, stderr } = await runCommand(owner.url, ["serve"], {
    [SETTING]: file,
    ANNALS_ADMISSION_SECRET_FILE: secrets,
    ANNALS_DANGEROUS_PLAINTEXT: "true",
    ANNALS_PORT: "0",
    ANNALS_ADMIN_PORT: "0",
  });
  expect(status).toBe(2);
  expect(stderr).toContain(`${SETTING} ${file}: leaves out the key`);
});
