// Guarantees: a witness and a time stamping authority get one request in an interval, whatever the number
// of replicas, and none while there is nothing new. One that fails is asked again after as long as it has
// failed. What the ledger refuses does not count. With a real PostgreSQL and real HTTP servers.

import { createRegistry, createLog } from "@annals/chassis";
import { systemClock } from "@annals/contract";
import { invalid } from "@annals/errors";
import { eventually } from "@annals/testing";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createMetrics } from "../metrics.ts";
import { newDatabase } from "../testing/dispatcher.ts";
import type { AnchorLedger } from "./anchor-deps.ts";
import { startAnchors } from "./anchors.ts";

const HOUR_S = 3_600;

let database: Awaited<ReturnType<typeof newDatabase>>;
let url: string;
/** Requests that the server got. */
let asked: number;
let answer: { status: number; body: string };
/** The newest epoch. */
let size: bigint;
let isTaken: boolean;
let listed: number;
let added: (string | undefined)[];

beforeEach(async () => {
  database = await newDatabase();
  [asked, size, listed, added, isTaken] = [0, 1n, 0, [], true];
  answer = { status: 200, body: "— w AAAA\n" };
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(answer.status, { "content-type": "text/x.tlog.size" }).end(answer.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

const ledger: Pick<AnchorLedger, "addAnchor" | "listAnchorWork"> = {
  listAnchorWork: ({ witnesses = [] }) => {
    listed += 1;
    return Promise.resolve({
      $typeName: "annals.ledger.v1.ListAnchorWorkResponse",
      log: 1,
      size,
      checkpoint: "note",
      proofs: witnesses.map(({ name = "", oldSize = 0n }) => ({
        $typeName: "annals.ledger.v1.WitnessProof",
        name,
        oldSize,
        hashes: [],
      })),
      unservedSince: "",
      unstampedSince: "",
    });
  },
  addAnchor: ({ anchor }) => {
    added.push(anchor?.case);
    if (!isTaken) return Promise.reject(invalid({ field: "cosignatures", message: "wrong" }));
    return Promise.resolve({ $typeName: "annals.ledger.v1.AddAnchorResponse", names: [] });
  },
};

/** Begins a replica, and resolves to what makes it work again. */
function replica(options: { isStamped?: boolean; intervalS?: number } = {}) {
  const { isStamped = false, intervalS = HOUR_S } = options;
  const metrics = createMetrics(createRegistry("test"));
  const loop = startAnchors({
    clock: systemClock(),
    database: database.pool(),
    extraAuthorities: undefined,
    ledger,
    log: createLog({ service: "test", level: "error" }, { write: () => {} }),
    logTsaIntervalS: intervalS,
    logTsaUrl: isStamped ? url : undefined,
    logWitnessIntervalS: intervalS,
    metrics,
    random: randomBytes,
    witnesses: () => (isStamped ? [] : [{ name: "w", url: new URL(url) }]),
  });
  onTestFinished(() => loop.stop());
  return { metrics, wake: () => loop.wake() };
}

/** Lets the replicas work several times, each with a newer epoch. */
async function work(replicas: readonly { wake: () => void }[], times = 8): Promise<void> {
  const until = listed + times * replicas.length;
  await eventually("more work", () => {
    size += 1n;
    for (const { wake } of replicas) wake();
    return listed >= until;
  });
}

const rows = () =>
  database.query<{ size: string; failing: boolean; wait: number }>(
    `SELECT size, failing_since IS NOT NULL AS failing,
       extract(epoch FROM due_at - statement_timestamp())::float8 AS wait FROM webhooks.anchors`,
  );

test.each([
  ["a witness", false],
  ["a time stamping authority", true],
])("%s gets one request in an interval from all replicas", async (_, isStamped) => {
  const replicas = [replica({ isStamped }), replica({ isStamped }), replica({ isStamped })];
  await eventually("a signature", () => added.length > 0);
  await work(replicas);
  expect([asked, added]).toEqual([1, [isStamped ? "timeStamp" : "cosignatures"]]);
  expect(Number((await rows())[0]?.wait)).toBeGreaterThan(HOUR_S - 60);
});

test("nothing is asked for while there is nothing new", async () => {
  const one = replica({ intervalS: 1 });
  await eventually("a signature", async () => (await rows())[0]?.size === "1");
  await eventually("the interval", async () => Number((await rows())[0]?.wait) < 0);
  const until = listed + 3;
  await eventually("more work", () => {
    one.wake();
    return listed >= until;
  });
  expect(asked).toBe(1);
});

test("a witness that fails is asked again after as long as it has failed, ten minutes at most", async () => {
  answer = { status: 503, body: "" };
  const one = replica({ intervalS: 30 });
  const due = "UPDATE webhooks.anchors SET due_at = '-infinity', failing_since = now() - ";
  await eventually("a row", async () => (await rows()).length > 0);
  for (const [failed, wait] of [
    [0, 30],
    [100, 100],
    [9_000, 600],
  ] as const) {
    await database.query(`${due} ${failed} * interval '1 second'`);
    await eventually(`a wait of ${wait} s`, async () => {
      one.wake();
      return Math.abs(Number((await rows())[0]?.wait) - wait) < 10;
    });
  }
  expect((await rows())[0]).toMatchObject({ size: "0", failing: true });
});

test("what the ledger refuses does not count as seen", async () => {
  isTaken = false;
  const { metrics } = replica();
  await eventually("a refusal", async () => (await rows())[0]?.failing === true);
  expect((await rows())[0]?.size).toBe("0");
  await eventually("the count", async () => {
    const { values } = await metrics.witnessRequests.get();
    return values.some(({ labels, value }) => labels["outcome"] === "invalid" && value === 1);
  });
});

test("a witness that has seen another size is asked with the proof for it, and a larger one is reported", async () => {
  answer = { status: 409, body: "5\n" };
  size = 7n;
  replica();
  await eventually("its size", async () => (await rows())[0]?.size === "5");
  expect(added).toEqual([]);
  answer = { status: 409, body: "9\n" };
  await database.query("UPDATE webhooks.anchors SET due_at = '-infinity'");
  await eventually("the report", () => added.includes("seenSize"));
  expect((await rows())[0]).toMatchObject({ size: "5", failing: true });
});
