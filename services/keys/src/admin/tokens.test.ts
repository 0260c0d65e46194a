// Guarantees: a token of the file is accepted and nothing else; a changed file is used without a restart, and
// one that cannot be used replaces nothing and is reported once; a start with one names the setting and the
// line and repeats no token. Without its setting there is no admin API, and none in plaintext by accident.

import { Closers, createLog, createRegistry, parseConfig } from "@annals/chassis";
import { systemClock } from "@annals/contract";
import { randomBytes } from "node:crypto";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { SETTINGS } from "../config.ts";
import { UNLIMITED_PLANS } from "../accounts/rules/plan.ts";
import { NO_IDENTITY } from "../identity/rules/identity.ts";
import { createMetrics } from "../metrics.ts";
import { migratedDatabase } from "../testing/database.ts";
import { openAdminApi } from "./open.ts";
import { AdminTokens } from "./tokens.ts";

const folder = await mkdtemp(join(tmpdir(), "annals-tokens-"));
afterAll(() => rm(folder, { recursive: true }));
const FILE = join(folder, "tokens");
const RELOAD_MS = 5;
const OLD = "old-".repeat(8);
const NEW = "new+".repeat(8);

function capture() {
  const lines: string[] = [];
  const log = createLog({ service: "test", level: "info" }, { write: (line) => lines.push(line) });
  return { lines, log };
}

async function open(text: string, log = capture().log): Promise<AdminTokens> {
  await writeFile(FILE, text);
  const tokens = await AdminTokens.open(FILE, log, RELOAD_MS);
  onTestFinished(() => tokens.close());
  return tokens;
}

test("a token of the file is accepted, and nothing else", async () => {
  const tokens = await open(`${OLD}\n\n${NEW}\n`);
  expect([OLD, NEW].map((each) => tokens.accepts(each))).toEqual([true, true]);
  const wrong = ["", OLD.slice(1), `${OLD}\n`, OLD.toUpperCase(), `${OLD}${NEW}`, "w".repeat(32)];
  expect(wrong.filter((each) => tokens.accepts(each))).toEqual([]);
});

test("a changed file is used, one that cannot be used replaces nothing and is reported once", async () => {
  const { lines, log } = capture();
  const tokens = await open(OLD, log);
  // At once, as Kubernetes does it.
  const replace = async (text: string, reported: number): Promise<void> => {
    await writeFile(`${FILE}.new`, text);
    await rename(`${FILE}.new`, FILE);
    await vi.waitFor(() => expect(lines).toHaveLength(reported));
  };
  await replace(NEW, 1);
  expect([tokens.accepts(OLD), tokens.accepts(NEW)]).toEqual([false, true]);
  await replace("short", 2);
  await replace("", 3);
  expect(["short", "", NEW].map((each) => tokens.accepts(each))).toEqual([false, false, true]);
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    "new tokens of the admin API are in use",
    "new tokens of the admin API cannot be used: keeping the current ones",
    "new tokens of the admin API cannot be used: keeping the current ones",
  ]);
  expect(lines.join("")).not.toMatch(/new\+|short/);
});

test.each([
  ["a token of 31 characters", `${OLD}\n${"s".repeat(31)}`, "line 2: a token must have 32 or more"],
  ["a token with a space", `${OLD} ${NEW}`, "line 1: a token must have 32 or more"],
  ["no token", "\n", "must contain 1 to 8 tokens"],
  ["nine tokens", `${OLD}\n`.repeat(9), "must contain 1 to 8 tokens"],
])("%s does not start, and is not repeated", async (_, text, reason) => {
  await writeFile(FILE, text);
  const failure: unknown = await AdminTokens.open(FILE, capture().log).catch((error) => error);
  expect(failure).toMatchObject({ name: "ConfigError" });
  expect(String(failure)).toContain(`ANNALS_ADMIN_API_TOKEN_FILE ${FILE}: ${reason}`);
  expect(String(failure)).not.toContain(text.trim() || "never");
});

test("a file that is not there is named", async () => {
  await expect(AdminTokens.open(join(folder, "none"), capture().log)).rejects.toThrow(
    /^ANNALS_ADMIN_API_TOKEN_FILE .*none: ENOENT/,
  );
});

test("without its setting there is no admin API; without TLS it is served, and says so", async () => {
  const { service: database } = await migratedDatabase();
  await writeFile(FILE, OLD);
  const { lines, log } = capture();
  const opened = async (variables: Readonly<Record<string, string>>) => {
    const config = parseConfig(SETTINGS, {
      ANNALS_DATABASE_URL: "postgresql://127.0.0.1/none",
      ANNALS_ADMIN_API_ADDRESS: "127.0.0.1:0",
      ...variables,
    });
    const deps = {
      clock: systemClock(),
      database,
      plans: UNLIMITED_PLANS,
      prefix: "annals",
      random: randomBytes,
      identities: { current: NO_IDENTITY },
      refusedLogins: {} as never,
      secrets: new Map(),
    };
    const closers = new Closers();
    onTestFinished(() => closers.closeAll(log));
    const metrics = createMetrics(createRegistry("keys"));
    await openAdminApi(config, {
      closers,
      deps,
      log,
      metrics,
      openReporters: () => ({}) as never,
      tls: "plaintext",
    });
    const port = lines.map((line) => JSON.parse(line).port).find((each) => each !== undefined);
    return port as number | undefined;
  };
  expect(await opened({})).toBeUndefined();
  const port = await opened({ ANNALS_ADMIN_API_TOKEN_FILE: FILE });
  expect(lines.join("\n")).toContain("the admin API is in plaintext");
  const ask = (token: string) =>
    fetch(`http://127.0.0.1:${port}/admin/v1/plans`, {
      headers: { authorization: `Bearer ${token}` },
    });
  expect((await ask(NEW)).status).toBe(401);
  expect(await (await ask(OLD)).json()).toMatchObject({ data: [{ name: "unlimited" }] });
});
