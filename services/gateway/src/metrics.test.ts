// Guarantee: /metrics says of each batcher of the gateway how many items its groups have, how many seconds
// the first of a group waited, and how many items were refused.

import { createRegistry, startAdminServer } from "@annals/chassis";
import { ComparedClock, mintKey } from "@annals/contract";
import { HASH_HEX_LENGTH, ID_LENGTH, PLACES_PER_EVENT } from "@annals/event";
import { AdmitRequestsResponseSchema } from "@annals/proto/keys";
import { CreateEventsResponseSchema } from "@annals/proto/ledger";
import { create } from "@bufbuild/protobuf";
import { expect, onTestFinished, test, vi } from "vitest";
import { Admissions } from "./admission/admissions.ts";
import { Unauthenticated } from "./edge/unauthenticated.ts";
import { createMetrics } from "./metrics.ts";
import { EventAppends } from "./events/event-appends.ts";
import { NO_WORKLOADS } from "./testing/no-workloads.ts";

const MS_PER_S = 1_000;
const EVENTS = Buffer.from('[{"action":"a"}]');
const TIME = "2026-01-31T09:30:00.000000Z";
/** More than may wait for one account. */
const TOO_MUCH_BYTES = 17 * 1024 * 1024;
/** Requests that may wait for their admission. */
const MAX_ADMISSIONS = 20_000;

/** The metrics of a gateway, and what /metrics says of one of its batchers. */
async function open(batcher: "admissions" | "gateway_appends") {
  const registry = createRegistry("gateway");
  const { batchers } = createMetrics(registry);
  const admin = await startAdminServer({ host: "127.0.0.1", port: 0, registry, checks: {} });
  onTestFinished(() => admin.close());
  const read = async () => {
    const page = await (await fetch(`http://127.0.0.1:${admin.port}/metrics`)).text();
    const value = (name: string) => {
      const line = page
        .split("\n")
        .find(
          (each) => each.startsWith(`annals_batcher_${name}{`) && each.includes(`"${batcher}"`),
        );
      return Number(line?.split(" ").at(-1) ?? 0);
    };
    return {
      groups: value("group_size_count"),
      items: value("group_size_sum"),
      waits: value("wait_seconds_count"),
      waitSeconds: value("wait_seconds_sum"),
      refused: value("refused_total"),
    };
  };
  return { metrics: batchers(batcher), read };
}

function request(bytes = EVENTS.length) {
  return {
    accountId: "acct_1",
    receivedAt: TIME,
    idempotencyKey: "",
    statement: "admission",
    requestSha256: new Uint8Array(32),
    events: {
      bytes: Buffer.alloc(bytes, EVENTS),
      count: 1,
      places: new Int32Array(PLACES_PER_EVENT),
      occurredAts: [undefined],
    },
  };
}

test("of appends", async () => {
  const { metrics, read } = await open("gateway_appends");
  const gate = Promise.withResolvers<void>();
  const ledger = {
    appendEvents: () => expect.unreachable(),
    createEvents: async ({ appends = [] }: { appends?: unknown[] }) => {
      await gate.promise;
      const value = {
        firstSequenceNumber: 1n,
        createdAt: TIME,
        packedIds: Buffer.alloc(ID_LENGTH),
        packedHashes: Buffer.alloc(2 * HASH_HEX_LENGTH),
      };
      const outcomes = appends.map(() => ({ outcome: { case: "stored" as const, value } }));
      return create(CreateEventsResponseSchema, { outcomes });
    },
  };
  const appends = new EventAppends(ledger, metrics);
  const sent: Promise<unknown>[] = [];
  // Two groups are in flight, as many as may be; the third waits for one of them.
  for (let groups = 1; groups <= 2; groups += 1) {
    sent.push(appends.append(request()), appends.append(request()));
    await vi.waitFor(async () => expect(await read()).toMatchObject({ groups, waits: groups }));
  }
  const beforeSubmission = performance.now();
  sent.push(appends.append(request()));
  const submittedAt = performance.now();
  await expect(appends.append(request(TOO_MUCH_BYTES))).rejects.toThrow("overloaded");
  const before = await read();
  expect(before).toMatchObject({ groups: 2, items: 4, waits: 2, refused: 1 });
  const openedAt = performance.now();
  gate.resolve();
  await Promise.all(sent);
  const waitedMost = (performance.now() - beforeSubmission) / MS_PER_S;
  const after = await read();
  expect(after).toMatchObject({ groups: 3, items: 5, waits: 3, refused: 1 });
  const waited = after.waitSeconds - before.waitSeconds;
  expect(waited).toBeGreaterThanOrEqual((openedAt - submittedAt) / MS_PER_S);
  expect(waited).toBeLessThanOrEqual(waitedMost);
});

test("of admissions", async () => {
  const { metrics, read } = await open("admissions");
  const keys = {
    admitRequests: async () =>
      create(AdmitRequestsResponseSchema, {
        admissions: [
          {
            accountId: "acct_1",
            admitted: MAX_ADMISSIONS,
            statement: "s",
            plan: {},
            accountWindow: {},
          },
        ],
      }),
  };
  const unauthenticated = new Unauthenticated({
    budget: { isOver: () => false },
    onRefused: () => {},
  });
  const admissions = new Admissions(
    { ...keys, ...NO_WORKLOADS },
    unauthenticated,
    new ComparedClock(),
    metrics,
  );
  const authorization = `Bearer ${mintKey("annals")}`;
  const client = {
    address: "127.0.0.1",
    ip: "127.0.0.1",
    requestId: "req_1",
    body: { complete: true },
    isWidget: false,
  };
  await Promise.all([
    admissions.admit(authorization, client),
    admissions.admit(authorization, client),
  ]);
  expect(await read()).toMatchObject({ groups: 1, items: 2, waits: 1, refused: 0 });
  const all = Array.from({ length: MAX_ADMISSIONS + 2 }, () =>
    admissions.admit(authorization, client),
  );
  await Promise.allSettled(all);
  expect(await read()).toMatchObject({ items: 2 + MAX_ADMISSIONS, refused: 2 });
});
