// Guarantee: with any internal link cut, silenced or slowed by 500 ms no request outlives its deadline, only
// what depends on that link fails, with server_error in the error shape and Retry-After; and all work again,
// webhooks and exports too, within 5 s after the link is repaired.

import { eventually, HttpClient } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { allServed, askOnce, faultsWhile, type Probe, probesOf } from "./network-probes.ts";
import { type Fault, FAULTS, Link } from "./network-proxy.ts";
import { type LinkedSystem, LINKS, type LinkName, startLinkedSystem } from "./network-system.ts";
import { report } from "./report.ts";

const { outageMs, slowed, swallowed } = inject("form").networkFaults;
/** The promise. */
const SERVING_WITHIN_MS = 5_000;
/** Of what can never be in time. */
const CONTROL_WITHIN_MS = 1_000;
const READY_WITHIN_MS = 60_000;

let system: LinkedSystem;
let client: HttpClient;
let accountId: string;
let probes: readonly Probe[];

beforeAll(async () => {
  system = await startLinkedSystem();
  const [account, quiet] = await Promise.all([system.account(), system.account()]);
  ({ client, accountId } = account);
  probes = probesOf(client, quiet.client);
  // Nobody listens there: each delivery is attempted once while a test runs.
  await client.post("/v1/webhooks", {
    url: "https://receiver.invalid/",
    events: ["event.created"],
  });
  await allServed(probes, READY_WITHIN_MS);
});
afterAll(() => system?.stop());

const SELECTED: Readonly<Record<Fault, number>> = { cut: LINKS.length, slowed, swallowed };
const CASES = FAULTS.flatMap((fault) =>
  LINKS.slice(0, SELECTED[fault]).map((link): [LinkName, Fault] => [link, fault]),
);

/** Every event that was stored is in a delivery that was attempted. */
async function allAttempted(): Promise<boolean> {
  const [row] = await system.owner.query<{ events: string; attempted: string }>(
    `SELECT (SELECT count(*) FROM ledger.chain WHERE account_id = $1) AS events,
       (SELECT count(*) FROM webhooks.deliveries WHERE account_id = $1 AND attempts > 0) AS attempted`,
    [accountId],
  );
  return row?.events === row?.attempted;
}

/** Webhooks of what was stored are attempted, and an export that is asked for now is completed. */
async function workersWell(withinMs: number): Promise<void> {
  const { body } = await client.post("/v1/exports", {});
  await Promise.all([
    eventually("what was stored is delivered", allAttempted, withinMs),
    eventually(
      "an export is completed",
      async () =>
        (await client.get(`/v1/exports/${body.data.id}`)).body.data.status === "completed",
      withinMs,
    ),
  ]);
}

test.each(CASES)("%s %s", async (name, fault) => {
  const link = system.link(name);
  await link.inject(fault);
  let faults: readonly string[];
  try {
    faults = await faultsWhile(fault, name, probes, outageMs);
  } finally {
    await link.heal();
  }
  const healed = performance.now();
  const served = await allServed(probes, SERVING_WITHIN_MS);
  await workersWell(SERVING_WITHIN_MS - (performance.now() - healed));
  expect(faults).toStrictEqual([]);
  report({ "served again after ms": served, "all work after ms": performance.now() - healed });
});

describe("control", () => {
  test("a request that outlives its deadline is reported", async () => {
    const link = await Link.to(Number(new URL(system.stack.baseUrls[0] ?? "").port));
    onTestFinished(() => link.close());
    const far = new HttpClient(`http://${link.address}`);
    const ask = () => far.get("/openapi.json");
    expect((await askOnce({ ask })).answer?.status).toBe(200);
    await link.inject("swallowed");
    expect((await askOnce({ ask }, CONTROL_WITHIN_MS)).answer).toBeUndefined();
  });

  test("a link that is not healed is reported", async () => {
    const link = system.link("gateway to export");
    await link.inject("cut");
    await expect(allServed(probes, CONTROL_WITHIN_MS)).rejects.toThrow(
      /POST \/exports|GET \/exports/,
    );
    await link.heal();
    await allServed(probes, SERVING_WITHIN_MS);
  });

  test("a request that fails with a link that it does not need is reported", async () => {
    const link = system.link("gateway to export");
    await link.inject("cut");
    const faults = await faultsWhile("cut", "export to nats", probes, 0);
    await link.heal();
    expect(faults.join()).toContain("GET /exports: is refused, and ought to be served");
  });
});
