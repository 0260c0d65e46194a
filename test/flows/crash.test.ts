// Guarantee: after kill -9 of any service the system serves again within 3 seconds, by itself;
// after kill -9 of everything, PostgreSQL included, it serves again when started. Whatever was
// acknowledged is there, once, and the chain verifies.

import { sendSignal, type Stack, type StackProcess } from "@annals/local";
import { eventually, HttpClient, newClient, ownerOf } from "@annals/testing";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { audit } from "../system/consistency.ts";
import { isAcknowledged, Load } from "../system/load.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** A service that was killed serves again within this time. */
const SERVES_AGAIN_MS = 3_000;
/**
 * The bound is for a machine that has time for us. What loading a service takes just before a kill
 * is the control: on an idle machine with 2 cores about 0.4 s, and the bound is never less than
 * this many times that.
 */
const TIMES_CONTROL = 6;
/** PostgreSQL recovers from its log first. */
const POSTGRES_SERVES_AGAIN_MS = 20_000;
describe("kill -9 of one process", () => {
  let stack: Stack;
  let account: Awaited<ReturnType<typeof newClient>>;
  let load: Load;

  beforeAll(async () => {
    stack = await startConstellation({ rateLimitPerMinute: 1_000_000 });
    account = await newClient(stack);
    load = new Load({ clients: [account.client] });
    load.start(1);
  });
  afterAll(async () => {
    account?.client.close();
    await stack?.stop();
  });

  /** Milliseconds from the kill until an event is stored that was sent after it. */
  async function killed(service: StackProcess["service"], boundMs: number): Promise<number> {
    const process = stack.processes.find((each) => each.service === service);
    const before = process?.pid();
    const started = performance.now();
    expect(process?.kill("SIGKILL")).toBe(true);
    await process?.exited();
    await eventually(
      `${service} serves again`,
      async () => (await load.one()).stored !== undefined && process?.pid() !== before,
      boundMs,
    );
    return performance.now() - started;
  }

  test.each(["keys", "ledger", "gateway"] as const)(
    "%s: serves again within 3 s",
    async (service) => {
      const control = await loadingMs(service);
      const boundMs = Math.max(SERVES_AGAIN_MS, TIMES_CONTROL * control);
      const tookMs = await killed(service, boundMs);
      expect(tookMs).toBeLessThan(boundMs);
    },
  );

  test("nats: no event waits for it", async () => {
    expect(stack.processes.find(({ service }) => service === "nats")?.kill("SIGKILL")).toBe(true);
    expect((await load.burst(20)).every(isAcknowledged)).toBe(true);
  });

  test("postgres: serves again when it has recovered, and no service needs a restart for that", async () => {
    const services = stack.processes.filter(({ adminUrl }) => adminUrl !== undefined);
    const pids = services.map((each) => each.pid());
    await killed("postgres", POSTGRES_SERVES_AGAIN_MS);
    expect(services.map((each) => each.pid())).toStrictEqual(pids);
  });

  test("and after all of it every acknowledged event is there, once", async () => {
    await load.stop();
    const owner = ownerOf(stack.databaseUrl);
    expect(await audit({ ...account, owner, http: account.client }, load.appends)).toStrictEqual(
      [],
    );
    await owner.close();
  });
});

/** What Node takes at this moment to load a service and print its usage, in milliseconds. */
async function loadingMs(service: string): Promise<number> {
  const started = performance.now();
  const control = execFile(process.execPath, ["-C", "source", `services/${service}/src/main.ts`], {
    cwd: ROOT,
  });
  await once(control, "exit");
  return performance.now() - started;
}

describe("kill -9 of the whole tree", () => {
  test("loses no event, key, revocation or idempotency key, and the next start serves", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "annals-crash-"));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));

    const databaseUrl = async () =>
      (await readFile(join(dataDir, "run/database-url"), "utf8")).trim();
    const bootstrapKey = async () =>
      (await readFile(join(dataDir, "bootstrap-key"), "utf8")).trim();

    const first = await startLocal(dataDir);
    const stack = { baseUrl: first.baseUrl, databaseUrl: await databaseUrl() };
    const account = await newClient(stack);
    const { client: other, key: otherKey } = await newClient(stack);
    const shownKey = await bootstrapKey();
    const batch = ["/v1/events/batch", { events: [{ action: "before" }] }] as const;
    const idempotent = { headers: { "idempotency-key": "before the crash" } };
    const stored = await other.post(...batch, idempotent);
    const revoked = (await other.post("/v1/api-keys", { name: "revoked" })).body.data;
    expect((await other.delete(`/v1/api-keys/${revoked.id}`)).status).toBe(204);
    const load = new Load({ clients: [account.client] });
    load.start(1);
    await eventually(
      "events are acknowledged",
      () => load.appends.filter(isAcknowledged).length >= 20,
    );
    await killTree(first.supervisor, dataDir);
    await load.stop();

    const second = await startLocal(dataDir);
    const http = new HttpClient(second.baseUrl, account.key);
    const owner = ownerOf(await databaseUrl());
    expect(await audit({ ...account, owner, http }, load.appends)).toStrictEqual([]);
    await owner.close();
    expect((await http.post("/v1/events", { action: "after" })).status).toBe(201);
    expect((await http.as(revoked.key).get("/v1/events")).status).toBe(401);
    expect(await bootstrapKey()).toBe(shownKey);
    expect((await http.as(shownKey).get("/v1/events")).status).toBe(200);
    const replay = await http.as(otherKey).post(...batch, idempotent);
    expect(replay.headers["idempotent-replayed"]).toBe("true");
    expect(replay.text).toBe(stored.text);
    for (const client of [account.client, other, http]) client.close();
    second.supervisor.kill("SIGTERM");
    expect(await once(second.supervisor, "exit")).toStrictEqual([0, null]);
  });
});

/** What `npm start` runs, in a process of its own. */
async function startLocal(dataDir: string) {
  const supervisor = spawn(process.execPath, ["-C", "source", "deploy/local/src/main.ts"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: process.env["PATH"],
      ANNALS_PORT: "0",
      ANNALS_DATA_DIR: dataDir,
      ANNALS_RATE_LIMIT_PER_MINUTE: "1000000",
    },
  });
  onTestFinished(() => void supervisor.kill("SIGTERM"));
  let output = "";
  supervisor.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const baseUrl = await eventually(
    "ready",
    () => /^ready (http:\/\/127\.0\.0\.1:\d+)\/v1$/m.exec(output)?.[1],
    60_000,
  );
  return { supervisor, baseUrl };
}

/** The supervisor first, so that nothing is started again or stopped in order. */
async function killTree(supervisor: ChildProcess, dataDir: string): Promise<void> {
  const run = join(dataDir, "run");
  const files = (await readdir(run)).filter((name) => /-\d+\.pid$/.test(name));
  const pids = await Promise.all(files.map((name) => readFile(join(run, name), "utf8")));
  expect(files).toEqual(expect.arrayContaining(["postgres-1.pid", "ledger-1.pid", "keys-1.pid"]));
  supervisor.kill("SIGKILL");
  for (const pid of pids) sendSignal(Number(pid), "SIGKILL");
  if (supervisor.exitCode === null && supervisor.signalCode === null)
    await once(supervisor, "exit");
}
