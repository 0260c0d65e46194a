// Guarantee: a gateway that knows the ledger by a name uses every address of the name, and a ledger
// that starts later gets its share without a restart of the gateway, since the gateway looks the name up
// every five seconds and when a connection ends. The ledgers need one port on two loopback addresses,
// which Linux has. The gateway finds its ledgers by a name, so the system is the file's own.

import { certificateFiles } from "@annals/certificates";
import { freePort, type Stack } from "@annals/local";
import { eventually, HttpClient, newAccount, serviceProgram } from "@annals/testing";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { type DnsServer, startDns } from "../system/dns-server.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const REQUESTS = 120;
const AT_A_TIME = 6;
/** What a start may take on a busy machine. */
const READY_MS = 60_000;

const addresses = ["127.0.0.1"];
let spawned: ChildProcess | undefined;
/** Of the ledgers' admin servers, in the order of `addresses`. */
const adminUrls: string[] = [];
let dns: DnsServer;
let ledgerPort: number;
let stack: Stack;
let http: HttpClient;

beforeAll(async () => {
  dns = await startDns(addresses);
  ledgerPort = await freePort();
  stack = await startConstellation({
    shared: inject("stack"),
    without: ["nats", "export", "webhook-dispatcher"],
    rateLimitPerMinute: 1_000_000,
    env: {
      ledger: { ANNALS_PORT: String(ledgerPort) },
      gateway: {
        ANNALS_LEDGER_ADDRESS: `dns://${dns.address}/ledger.test:${ledgerPort}`,
        GRPC_NODE_USE_ALTERNATIVE_RESOLVER: "true",
      },
    },
  });
  const ledger = stack.processes.find(({ service }) => service === "ledger");
  adminUrls.push(ledger?.adminUrl ?? "");
  const { key } = await newAccount(stack.databaseUrl);
  http = new HttpClient(stack.baseUrls[0] ?? "", key);
});
afterAll(async () => {
  http?.close();
  spawned?.kill("SIGTERM");
  if (spawned?.exitCode === null) await once(spawned, "exit");
  await stack?.stop();
  dns?.close();
});

test("a second ledger behind a name that starts later gets its share of the calls", async () => {
  const gateway = stack.processes.find(({ service }) => service === "gateway");
  const pid = gateway?.pid();

  await startLedger("127.0.0.2");
  await untilAllAreUsed();
  expect(adminUrls).toHaveLength(2);
  for (const share of await shares()) expect(share).toBeGreaterThan(1 / 4);
  expect(gateway?.pid()).toBe(pid);
});

/**
 * One more, on the port of the others at an address of its own, which from then on is an address of
 * the name.
 */
async function startLedger(host: string): Promise<void> {
  const adminPort = await freePort();
  const { ca, cert, key } = certificateFiles(stack.certificates, "ledger");
  spawned = spawn(
    process.execPath,
    ["-C", "source", serviceProgram("ledger"), "serve", "--exit-with-stdin"],
    {
      cwd: ROOT,
      stdio: ["pipe", "ignore", "inherit"],
      env: {
        PATH: process.env["PATH"],
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        ANNALS_DATABASE_URL: stack.databaseUrl,
        ANNALS_NATS_URL: stack.natsUrl,
        ANNALS_ADMISSION_SECRET_FILE: join(stack.dataDir, "admission-secret"),
        ANNALS_HOST: host,
        ANNALS_PORT: String(ledgerPort),
        ANNALS_ADMIN_HOST: "127.0.0.1",
        ANNALS_ADMIN_PORT: String(adminPort),
        ANNALS_TLS_CA_FILE: ca,
        ANNALS_TLS_CERT_FILE: cert,
        ANNALS_TLS_KEY_FILE: key,
      },
    },
  );
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  const isReady = async () => (await fetch(`${adminUrl}/readyz`)).ok;
  await eventually(`the ledger at ${host} is ready`, isReady, READY_MS);
  adminUrls.push(adminUrl);
  addresses.push(host);
}

/** Sends requests until each ledger has got one; no request may fail meanwhile. */
async function untilAllAreUsed(): Promise<void> {
  const before = await counts();
  await eventually("every ledger gets a call", async () => {
    await send(AT_A_TIME);
    const after = await counts();
    return after.every((count, index) => count > (before[index] ?? 0));
  });
}

/** The part of `REQUESTS` requests that each ledger answered. */
async function shares(): Promise<number[]> {
  const before = await counts();
  await send(REQUESTS);
  const got = (await counts()).map((count, index) => count - (before[index] ?? 0));
  expect(got.reduce((sum, count) => sum + count)).toBe(REQUESTS);
  return got.map((count) => count / REQUESTS);
}

async function send(requests: number): Promise<void> {
  let left = requests;
  const client = async (): Promise<void> => {
    while (left-- > 0) expect((await http.get("/v1/events?limit=1")).status).toBe(200);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, client));
}

/** Calls of ListEvents that each ledger has answered, by its own metrics. */
async function counts(): Promise<number[]> {
  return Promise.all(
    adminUrls.map(async (url) => {
      const page = await (await fetch(`${url}/metrics`)).text();
      const lines = page.split("\n").filter((line) => {
        return line.startsWith("rpc_server_call_duration_seconds_count{");
      });
      const list = lines.filter((line) => line.includes('rpc_method="list-events"'));
      return list.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
    }),
  );
}
