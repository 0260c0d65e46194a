// Guarantees: while a witness and a time stamping authority are down for ten minutes, the lag of each grows
// with the clock, less its interval, and no signature is stored. They are asked again by themselves, with the
// newest checkpoint, and the lag ends. With a real PostgreSQL and real HTTP servers.

import { createRegistry } from "@annals/chassis";
import { formatMicros } from "@annals/contract";
import { eventually } from "@annals/testing";
import { ListAnchorWorkResponseSchema } from "@annals/proto/ledger";
import { create } from "@bufbuild/protobuf";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createMetrics } from "../../metrics.ts";
import { newDatabase } from "../../testing/dispatcher.ts";
import { NO_ANCHORS, readHeadLog } from "../../testing/no-anchors.ts";
import type { AnchorLedger } from "./anchor-deps.ts";
import { startAnchors } from "./anchors.ts";

const BEGAN = Date.UTC(2026, 4, 10, 12) * 1_000;
const MINUTE_S = 60;
const MINUTES = 10;

/** A server that answers with a status, and counts. */
async function serve(answer: { status: number }) {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(answer.status).end("— w AAAA\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return { url, asked: () => asked };
}

test("ten minutes without a witness and a time stamping authority are the lag, and end by themselves", async () => {
  const database = await newDatabase();
  const answer = { status: 503 };
  const [witness, tsa] = [await serve(answer), await serve(answer)];
  let micros = BEGAN;
  let [size, listed] = [1n, 0];
  /** The sizes that have an anchor of each kind. */
  const added: Record<string, bigint[]> = { cosignatures: [], timeStamp: [] };
  const since = (kind: string) => ((added[kind]?.at(-1) ?? 0n) < size ? formatMicros(BEGAN) : "");
  const ledger: AnchorLedger = {
    readHeadLog,
    listAnchorWork: ({ witnesses = [] }) => {
      listed += 1;
      const proofs = witnesses.map(({ name = "", oldSize = 0n }) => ({
        name,
        oldSize,
        hashes: [],
      }));
      const [unservedSince, unstampedSince] = [since("cosignatures"), since("timeStamp")];
      const work = { log: 1, size, checkpoint: "note", proofs, unservedSince, unstampedSince };
      return Promise.resolve(create(ListAnchorWorkResponseSchema, work));
    },
    addAnchor: ({ anchor, size: of = 0n }) => {
      added[anchor?.case ?? ""]?.push(of);
      return Promise.resolve({ $typeName: "annals.ledger.v1.AddAnchorResponse", names: [] });
    },
  };
  const metrics = createMetrics(createRegistry("test"));
  const loop = startAnchors({
    ...NO_ANCHORS,
    database: database.pool(),
    databaseMicros: () => micros,
    ledger,
    logAnchorIntervalS: MINUTE_S,
    logTsaUrl: tsa.url.href,
    witnessIntervalS: MINUTE_S,
    metrics,
    witnesses: () => [{ name: "w", url: witness.url }],
  });
  onTestFinished(() => loop.stop());
  const lags = async () => {
    const { values } = await metrics.anchorLag.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels["kind"], value]));
  };
  /** Lets the worker run after this moment. */
  const run = async () => {
    const until = listed + 2;
    await eventually("more work", () => {
      loop.wake();
      return listed >= until;
    });
  };
  for (let at = 0; at < MINUTES; at += 1) {
    [micros, size] = [micros + MINUTE_S * 1e6, size + 1n];
    await database.query(
      "UPDATE webhooks.anchors SET due_at = due_at - interval '1 minute', failing_since = failing_since - interval '1 minute'",
    );
    await run();
  }
  const late = (MINUTES - 1) * MINUTE_S;
  expect(await lags()).toEqual({ witness: late, timestamp: late });
  expect(added).toEqual({ cosignatures: [], timeStamp: [] });
  // After each failure they wait as long as they have failed: not a request each minute.
  for (const { asked } of [witness, tsa]) {
    expect(asked()).toBeGreaterThan(2);
    expect(asked()).toBeLessThan(MINUTES);
  }
  answer.status = 200;
  await database.query("UPDATE webhooks.anchors SET due_at = due_at - interval '10 minutes'");
  await eventually("both are there", () => {
    loop.wake();
    return Object.values(added).every((sizes) => sizes.at(-1) === size);
  });
  expect(added).toEqual({ cosignatures: [size], timeStamp: [size] });
  await run();
  expect(await lags()).toEqual({ witness: 0, timestamp: 0 });
  expect(
    await database.query("SELECT name FROM webhooks.anchors WHERE failing_since IS NOT NULL"),
  ).toEqual([]);
});
