// Guarantees: `annals status` prints a line for each process, with its lags and the age of the log's newest
// epoch, names each problem at its threshold, and ends with 3 where there is one. It follows no redirect and
// reads no response without end. It runs once as a process.

import { createRegistry, Gauge, startAdminServer } from "@annals/chassis";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { runAnnals, typeLine } from "./type-line.ts";

const folder = await mkdtemp(join(tmpdir(), "annals-status-"));
afterAll(() => rm(folder, { recursive: true }));

/** A line of `annals`, in this process. */
const run = (line: string) =>
  runAnnals(line.split(" ").slice(1), { ANNALS_DATA_DIR: join(folder, ".annals") });

const OWN = { annals_index_lag_events: 12, annals_log_epoch_age_seconds: 30 };

/** An admin port like that of a service; `fault` is what a check says, `gauges` what it measures. */
async function adminPort(
  service: string,
  fault?: string,
  gauges: Readonly<Record<string, number>> = OWN,
): Promise<string> {
  const registry = createRegistry(service);
  for (const [name, value] of Object.entries(gauges)) {
    const labels = name === "annals_log_anchor_lag_seconds" ? { kind: "witness" } : {};
    const gauge = new Gauge({
      name,
      help: "A fixture.",
      labelNames: ["kind"],
      registers: [registry],
    });
    gauge.set(labels, value);
  }
  const checks = { database: () => Promise.resolve(fault) };
  const server = await startAdminServer({ host: "127.0.0.1", port: 0, registry, checks });
  onTestFinished(() => server.close());
  return `http://127.0.0.1:${server.port}`;
}

/** The address of a server that is none of a service. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createHttpServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An address at which nothing listens. */
async function closedPort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}

test("prints a line for each healthy process, as its help says, and ends with 0", async () => {
  const url = await adminPort("keys");
  await mkdir(join(folder, ".annals/run"), { recursive: true });
  await writeFile(join(folder, ".annals/run/admin-urls"), `${url}\n`);
  onTestFinished(() => rm(join(folder, ".annals"), { recursive: true }));
  for (const outcome of [
    await typeLine("annals status", folder),
    await run("annals status"),
    await run(`annals status --url ${url}`),
  ]) {
    expect(outcome).toMatchObject({ status: 0, stderr: "" });
    expect(outcome.stdout).toMatch(
      /^keys {2}http:\S+ {2}\S+ +healthy +annals_index_lag_events=12 annals_log_epoch_age_seconds=30\n$/,
    );
  }
});

test("lists problems, and ends with 3", async () => {
  const soon = Date.now() / 1_000 + 13 * 86_400;
  const urls = [
    await adminPort("keys"),
    await adminPort("ledger", "the schema lacks 0009"),
    await adminPort("export", undefined, {
      annals_tls_certificate_expiry_timestamp_seconds: soon,
    }),
    await closedPort(),
  ];
  const outcome = await run(`annals status --json ${urls.map((url) => `--url ${url}`).join(" ")}`);
  expect(outcome).toMatchObject({ status: 3, stderr: "" });
  const [keys, ledger, exporter, gone] = JSON.parse(outcome.stdout);
  expect(keys).toMatchObject({ service: "keys", healthy: true, problems: [] });
  expect(ledger).toMatchObject({
    service: "ledger",
    problems: ["database: the schema lacks 0009"],
  });
  expect(exporter).toMatchObject({
    healthy: false,
    problems: [expect.stringMatching(/^\w+ certificate expires 20/)],
  });
  expect(gone).toMatchObject({ healthy: false, problems: ["no response: ECONNREFUSED"] });
});

test("follows no redirect, and reads no response without end", async () => {
  const url = await adminPort("keys");
  const leads = await serve((request, response) => {
    response.writeHead(302, { location: `${url}${request.url}` }).end();
  });
  const floods = await serve((_, response) => {
    const piece = Buffer.alloc(1024 * 1024, "a");
    const write = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", write);
    write();
  });
  const outcome = await run(`annals status --json --url ${leads} --url ${floods}`);
  expect(outcome).toMatchObject({ status: 3, stderr: "" });
  expect(JSON.parse(outcome.stdout)).toMatchObject([
    { healthy: false, problems: ["no response: unexpected redirect"] },
    { healthy: false, problems: ["no response: the response has over 16777216 bytes"] },
  ]);
});

test.each([
  ["annals_log_epoch_age_seconds", 3_781, 3_780, "the log has had no epoch for 3781 s"],
  ["annals_log_anchor_lag_seconds", 3_601, 3_600, "(witness) is overdue by 3601 s"],
  ["annals_log_tree_lag_events", 100_001, 100_000, "100001 events behind"],
  ["annals_log_rollback_total", 1, 0, "went back"],
  ["annals_log_tree_mismatch_total", 1, 0, "does not fit its chain"],
  ["annals_chain_invariant_broken_total", 1, 0, "a chain is broken"],
])("of the metric %s", async (name, bad, good, said) => {
  const port = (value: number) =>
    adminPort("ledger", undefined, { annals_log_epoch_interval_seconds: 60, [name]: value });
  const outcome = await run(`annals status --url ${await port(bad)} --url ${await port(good)}`);
  expect(outcome.status).toBe(3);
  const [unhealthy, problem, healthy, ...more] = outcome.stdout.trimEnd().split("\n");
  expect([unhealthy, problem, healthy, more]).toEqual([
    expect.stringContaining("UNHEALTHY"),
    expect.stringContaining(said),
    expect.stringMatching(/ healthy/),
    [],
  ]);
});
