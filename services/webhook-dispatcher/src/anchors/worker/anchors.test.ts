// Guarantees: a witness and a time stamping authority get one request in an interval, whatever the number of
// replicas, and none while there is nothing new. One that fails is asked again after as long as it has
// failed. What the ledger refuses does not count. A witness that claims more than the log has proves it by
// what it has signed, or is not believed. No witness waits for a bucket. With a real PostgreSQL and real HTTP
// servers.

import { createRegistry } from "@annals/chassis";
import { invalid } from "@annals/errors";
import { eventually } from "@annals/testing";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createMetrics } from "../../metrics.ts";
import { newDatabase } from "../../testing/dispatcher.ts";
import { HOUR_S, NO_ANCHORS, readHeadLog } from "../../testing/no-anchors.ts";
import type { LockedBucket } from "../locked-bucket.ts";
import type { AnchorLedger } from "./anchor-deps.ts";
import { startAnchors } from "./anchors.ts";

const ORIGIN = "log.example/one";
const noteOf = (epoch: bigint) => `${ORIGIN}\n${epoch}\nroot\n\n— signed\n`;

let database: Awaited<ReturnType<typeof newDatabase>>;
let url: string;
/** Requests that the server got. */
let asked: number;
let answer: { status: number; body: string };
/** What the monitoring API of the witness shows. */
let view: { status: number; body: string };
/** The newest epoch. */
let size: bigint;
let isTaken: boolean;
let listed: number;
let added: (string | undefined)[];
/** Checkpoints that the ledger got as seen by the witness. */
let proofs: string[];

beforeEach(async () => {
  database = await newDatabase();
  [asked, size, listed, added, proofs, isTaken] = [0, 1n, 0, [], [], true];
  answer = { status: 200, body: "— w AAAA\n" };
  view = { status: 404, body: "" };
  const server = createServer(({ method, url: path }, response) => {
    if (method === "GET") {
      const isKnown = path === `/${createHash("sha256").update(ORIGIN).digest("hex")}/checkpoint`;
      response.writeHead(isKnown ? view.status : 400).end(view.body);
      return;
    }
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

const ledger: AnchorLedger = {
  readHeadLog,
  listAnchorWork: ({ witnesses = [] }) => {
    listed += 1;
    return Promise.resolve({
      $typeName: "annals.ledger.v1.ListAnchorWorkResponse",
      log: 1,
      size,
      checkpoint: noteOf(size),
      proofs: witnesses.map(({ name = "", oldSize = 0n }) => ({
        $typeName: "annals.ledger.v1.WitnessProof",
        name,
        oldSize,
        hashes: [],
      })),
      unservedSince: "",
      unstampedSince: "",
      unlockedSince: "",
    });
  },
  addAnchor: ({ anchor }) => {
    added.push(anchor?.case);
    if (anchor?.case === "seenCheckpoint") proofs.push(anchor.value);
    if (!isTaken) return Promise.reject(invalid({ field: "cosignatures", message: "wrong" }));
    return Promise.resolve({ $typeName: "annals.ledger.v1.AddAnchorResponse", names: [] });
  },
};

/** Begins a replica, and resolves to what makes it work again. */
function replica(options: { bucket?: LockedBucket; isStamped?: boolean; intervalS?: number } = {}) {
  const { bucket, isStamped = false, intervalS = HOUR_S } = options;
  const metrics = createMetrics(createRegistry("test"));
  const loop = startAnchors({
    ...NO_ANCHORS,
    bucket,
    database: database.pool(),
    ledger,
    logAnchorIntervalS: intervalS,
    logTsaUrl: isStamped ? url : undefined,
    witnessIntervalS: intervalS,
    metrics,
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

test("no witness waits for a bucket that does not answer", async () => {
  let checks = 0;
  const silent = (signal: AbortSignal) => {
    checks += 1;
    return new Promise<never>((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(new Error("aborted"))),
    );
  };
  const later = (_: unknown, signal: AbortSignal) => silent(signal);
  const bucket = { check: silent, read: later, keep: later, replace: later, close: () => {} };
  const one = replica({ bucket: { name: "b", lockDays: 1, ...bucket } });
  await eventually("a check of the bucket", () => checks > 0);
  await eventually("a signature", () => added.length > 0);
  await work([one]);
  expect([asked, added, checks]).toEqual([1, ["cosignatures"], 1]);
});

test("a witness that has seen another size is asked with the proof for it", async () => {
  answer = { status: 409, body: "5\n" };
  size = 7n;
  replica();
  await eventually("its size", async () => (await rows())[0]?.size === "5");
  expect([added, proofs]).toEqual([[], []]);
});

describe("a witness that claims more than the log has", () => {
  const due = () => database.query("UPDATE webhooks.anchors SET due_at = '-infinity'");
  const CLAIMS = [
    ["a larger size", { status: 409, body: "9\n" }],
    ["another root of the same size", { status: 409, body: "7\n" }],
    ["another history", { status: 422, body: "" }],
  ] as const;

  /** It has signed the epoch 7, and then claims something about one that is not larger. */
  async function claim(said: typeof answer): Promise<void> {
    size = 7n;
    const { metrics, wake } = replica();
    await eventually("a signature", async () => (await rows())[0]?.size === "7");
    answer = said;
    await database.query("UPDATE webhooks.anchors SET failing_since = now()");
    await due();
    wake();
    await eventually("the count", async () => {
      const { values } = await metrics.witnessRequests.get();
      return values.some(({ labels, value }) => labels["outcome"] !== "cosigned" && value > 0);
    });
  }

  test.each(CLAIMS)("proves %s by what it has signed, and by its view", async (_, said) => {
    view = { status: 200, body: noteOf(9n) };
    await claim(said);
    await eventually("both", () => proofs.length > 1);
    expect(proofs.slice(0, 2)).toEqual([noteOf(7n), noteOf(9n)]);
    expect((await rows())[0]).toMatchObject({ size: "7", failing: true });
  });

  test("has no view: what it has signed is the proof", async () => {
    await claim({ status: 422, body: "" });
    await eventually("the proof", () => proofs.length > 0);
    expect(new Set(proofs)).toEqual(new Set([noteOf(7n)]));
  });

  test("and has signed nothing of this log is not believed", async () => {
    answer = { status: 409, body: "1000000\n" };
    const { wake } = replica();
    await eventually("a failure", async () => (await rows())[0]?.failing === true);
    await database.query("UPDATE webhooks.anchors SET checkpoint = 'log.example/other\n9\n'");
    const before = asked;
    await eventually("more work", async () => {
      await due();
      wake();
      return asked > before + 1;
    });
    expect([added, proofs]).toEqual([[], []]);
  });

  test("what the ledger refuses of its view changes nothing, and it is asked again", async () => {
    view = { status: 200, body: "no checkpoint" };
    answer = { status: 422, body: "" };
    isTaken = false;
    const { metrics, wake } = replica();
    await eventually("two requests", async () => {
      await due();
      wake();
      return proofs.length > 1;
    });
    const { values } = await metrics.failures.get();
    expect(values.filter(({ value }) => value > 0)).toEqual([]);
  });
});
