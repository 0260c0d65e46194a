// Guarantee: every process of a stack is started again after its death, on the same ports; two stacks do not
// interfere; a stop leaves nothing running; a service gets the settings it needs and no further secret. Real
// PostgreSQL, fake services.

import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { reserveFreePort, reservePort } from "./ports.ts";
import { isAlive } from "./process-table.ts";
import { type Stack, startStack } from "./stack.ts";
import type { StackOptions } from "./stack-options.ts";
import { newFolder, temporaryFolder } from "./testing/folders.ts";
import { query } from "./testing/query.ts";

/** Servers start and stop in these tests, on a machine that may be busy. Milliseconds. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const base = {
  environment: {
    PATH: process.env["PATH"],
    ANNALS_LOG_LEVEL: "warn",
    ANNALS_BOOTSTRAP_KEY: "not for services",
  },
  root: join(import.meta.dirname, "testing"),
  without: ["nats"],
} satisfies Partial<StackOptions>;

async function started(options: Partial<StackOptions> = {}): Promise<Stack> {
  const stack = await startStack({ ...base, dataDir: temporaryFolder(), ...options });
  onTestFinished(() => stack.stop());
  return stack;
}

interface Answer {
  readonly pid: number;
  readonly variables: Readonly<Record<string, string>>;
}

async function ask(url: string): Promise<Answer> {
  const response = await fetch(url, { headers: { connection: "close" } });
  const answer: Answer = JSON.parse(await response.text());
  return answer;
}

describe("one stack", () => {
  const dataDir = newFolder();
  let stack: Stack;

  beforeAll(async () => {
    const options = { replicas: { gateway: 2, ledger: 2 }, env: { ledger: { ANNALS_EXTRA: "1" } } };
    stack = await startStack({ ...base, dataDir, ...options });
  });
  afterAll(async () => {
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test("a service gets its settings, and no secret that it does not need", async () => {
    const [gateway] = stack.baseUrls;
    const { variables } = await ask(gateway ?? "");
    const ledgers = stack.processes
      .filter((each) => each.service === "ledger")
      .map((each) => each.rpcAddress);
    expect(variables["ANNALS_LEDGER_ADDRESS"]).toBe(`ipv4:${ledgers.join(",")}`);
    expect(variables["ANNALS_LOG_LEVEL"]).toBe("warn");
    expect(variables).not.toHaveProperty("ANNALS_DATABASE_URL");
    expect(variables).not.toHaveProperty("ANNALS_EXTRA");
    expect(variables).not.toHaveProperty("ANNALS_ADMISSION_SECRET_FILE");
    const ledger = await ask(`http://${ledgers[0]}`);
    expect(ledger.variables["ANNALS_DATABASE_URL"]).toBe(stack.databaseUrl);
    expect(ledger.variables["ANNALS_EXTRA"]).toBe("1");
    const admissionSecret = join(stack.dataDir, "admission-secret");
    expect(ledger.variables["ANNALS_ADMISSION_SECRET_FILE"]).toBe(admissionSecret);
    expect(ledger.variables).not.toHaveProperty("ANNALS_BOOTSTRAP_KEY");
    expect(readFileSync(join(stack.dataDir, "log/keys-migrate.log"), "utf8")).toContain(
      stack.bootstrapKey,
    );
  });

  test("secrets are for the owner only, and every process has its pid file", async () => {
    for (const file of ["admission-secret", "bootstrap-key", "log-key", "run/database-url"]) {
      expect(statSync(join(stack.dataDir, file)).mode & 0o777).toBe(0o600);
    }
    expect(readFileSync(join(stack.dataDir, "bootstrap-key"), "utf8").trim()).toBe(
      stack.bootstrapKey,
    );
    for (const each of stack.processes) {
      const { service, index } = each;
      expect(Number(readFileSync(join(stack.dataDir, `run/${service}-${index}.pid`), "utf8"))).toBe(
        each.pid(),
      );
    }
  });

  test("PostgreSQL keeps what it acknowledges and listens on loopback only", async () => {
    const settings = await query(
      stack.databaseUrl,
      `select name, setting from pg_settings
       where name in ('fsync', 'synchronous_commit', 'listen_addresses') order by name`,
    );
    expect(settings).toEqual([
      { name: "fsync", setting: "on" },
      { name: "listen_addresses", setting: "127.0.0.1" },
      { name: "synchronous_commit", setting: "on" },
    ]);
  });

  test("a killed service serves again on the same ports", async () => {
    const victim = stack.processes.find((each) => each.service === "gateway" && each.index === 2);
    if (victim?.baseUrl === undefined) throw new Error("there is no second gateway");
    const before = await ask(victim.baseUrl);
    for (let round = 0; round < 2; round++) {
      process.kill(victim.pid() ?? 0, "SIGKILL");
      await victim.exited();
      await victim.waitReady();
    }
    const after = await ask(victim.baseUrl);
    expect(after.pid).not.toBe(before.pid);
    expect(after.variables).toEqual(before.variables);
    expect(Number(readFileSync(join(stack.dataDir, "run/gateway-2.pid"), "utf8"))).toBe(after.pid);
  });

  test("a stopped service stays down; a further replica has ports of its own", async () => {
    const [keys] = stack.processes.filter((each) => each.service === "keys");
    await keys?.stop();
    expect(keys?.pid()).toBeUndefined();
    await expect(fetch(`${keys?.adminUrl}/readyz`)).rejects.toThrow("fetch failed");
    keys?.start();
    await keys?.waitReady();
    const added = await stack.addReplica("ledger");
    expect(added.index).toBe(3);
    expect((await ask(`http://${added.rpcAddress}`)).pid).toBe(added.pid());
  });

  test("a second stack runs beside it; the same directory or port is refused", async () => {
    const other = await started();
    expect(other.bootstrapKey).not.toBe(stack.bootstrapKey);
    const [mine, theirs] = await Promise.all([
      ask(stack.baseUrls[0] ?? ""),
      ask(other.baseUrls[0] ?? ""),
    ]);
    expect(mine.pid).not.toBe(theirs.pid);
    await expect(started({ dataDir: stack.dataDir })).rejects.toThrow(
      /in use by the stack with process id \d+/,
    );
    const port = Number(new URL(stack.baseUrls[0] ?? "").port);
    await expect(started({ port })).rejects.toThrow(`port ${port} is in use`);
    expect((await ask(stack.baseUrls[0] ?? "")).pid).toBe(mine.pid);
  });
});

test("a stop leaves no process and no pid file, and the next start finds the data", async () => {
  const dataDir = temporaryFolder();
  const first = await started({ dataDir });
  await query(first.databaseUrl, "create table kept (value int); insert into kept values (7)");
  const pids = first.processes.map((each) => each.pid() ?? 0);
  await first.stop();
  expect(pids.filter((pid) => isAlive(pid))).toEqual([]);
  expect(() => statSync(join(dataDir, "run/keys-1.pid"))).toThrow("ENOENT");
  expect(readFileSync(join(dataDir, "log/postgres-1.log"), "utf8")).toContain(
    "database system is shut down",
  );
  const second = await started({ dataDir });
  expect(second.bootstrapKey).toBe(first.bootstrapKey);
  expect(await query(second.databaseUrl, "select value from kept")).toEqual([{ value: 7 }]);
});

async function firstOfTwoFreePorts(): Promise<number> {
  for (;;) {
    const first = await reserveFreePort();
    const second = await reservePort(first.port + 1).catch(() => undefined);
    await Promise.all([first.close(), second?.close()]);
    if (second) return first.port;
  }
}

test("gateways take the ports from the first upwards", async () => {
  const port = await firstOfTwoFreePorts();
  const stack = await started({ port, replicas: { gateway: 2 } });
  expect(stack.baseUrls).toEqual([`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`]);
});

test("a disposable stack deletes its data, also that in other folders", async () => {
  // As root, PostgreSQL's user cannot reach this folder, so the cluster is elsewhere.
  const dataDir = join(temporaryFolder(), "hidden");
  mkdirSync(dataDir, { mode: 0o700 });
  const stack = await started({ dataDir, isDisposable: true });
  const cluster = realpathSync(join(dataDir, "postgres"));
  await stack.stop();
  expect([existsSync(cluster), existsSync(dataDir)]).toEqual([false, false]);
});

test("a failed migration ends the start with its log, and nothing is left", async () => {
  const dataDir = temporaryFolder();
  const fails = { env: { ledger: { ANNALS_FAKE_MIGRATION: "fails" } } };
  await expect(started({ dataDir, ...fails })).rejects.toThrow(
    /migration of ledger failed[^]*ledger-migrate\.log/,
  );
  expect(() => statSync(join(dataDir, "run/postgres-1.pid"))).toThrow("ENOENT");
  expect(() => statSync(join(dataDir, "run/stack.pid"))).toThrow("ENOENT");
});

test.each([
  ["migrate", "ledger"],
  ["serve", "gateway"],
])(
  "wrong settings found by %s of %s end the start at once, with its words alone",
  async (verb, service) => {
    const refuses = { env: { [service]: { ANNALS_FAKE_REFUSES: verb } } };
    await expect(started(refuses)).rejects.toThrow(/^ANNALS_FAKE_REFUSES is wrong$/);
  },
);

test("a data directory that cannot be written is one line that names the setting", async () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  await expect(started({ dataDir: join(file, "data") })).rejects.toThrow(
    `the data directory ${file}/data cannot be written (ENOTDIR): set ANNALS_DATA_DIR to`,
  );
});
