// Whatever JSON a client sends: it is stored and comes back the same, or it is refused with the
// place of the fault. It is never altered, never a server error, and never holds the gateway's
// event loop for 100 ms of CPU time (docs/hash-chain.md).

import { createRegistry, startAdminServer } from "@annals/chassis";
import type { Stack, StackProcess } from "@annals/local";
import { HttpClient, newAccount } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import { longestStall, stallOf } from "./event-loop-lag.ts";
import {
  FAITHFUL,
  HEAVY_BATCHES,
  HOSTILE_BODIES,
  TOO_MANY_VALUES,
  UNFAITHFUL,
} from "./hostile-json-cases.ts";

const MAX_STALL_MS = 100;

let stack: Stack;
let gateway: StackProcess;
let client: HttpClient;
let pid: number | undefined;

beforeAll(async () => {
  stack = await startConstellation({
    shared: inject("stack"),
    rateLimitPerMinute: 100_000,
    without: ["nats", "export", "webhook-dispatcher"],
  });
  gateway = gatewayOf(stack);
  pid = gateway.pid();
  client = new HttpClient(gateway.baseUrl ?? "", (await newAccount(stack.databaseUrl)).key);
  // What is compiled on first use is not what is measured.
  for (let times = 0; times < 50; times += 1)
    await client.post("/v1/events/batch", HEAVY_BATCHES[0]?.[1].slice(0, 9_000));
  for (const [, body] of HEAVY_BATCHES) await client.post("/v1/events/batch", body);
});

afterAll(async () => {
  client.close();
  await stack.stop();
});

function gatewayOf({ processes }: Stack): StackProcess {
  const found = processes.find(({ service }) => service === "gateway");
  if (!found) throw new Error("the stack has no gateway");
  return found;
}

const around = (metadata: string | Buffer) =>
  Buffer.concat([
    Buffer.from('{"action":"a","metadata":'),
    Buffer.from(metadata),
    Buffer.from("}"),
  ]);

/** What was stored of `metadata`, as POST and GET return it. */
async function stored(metadata: string): Promise<string> {
  const posted = await client.post("/v1/events", around(metadata));
  expect(posted.status).toBe(201);
  const got = await client.get(`/v1/events/${posted.body.data.id}`);
  expect(got.text).toBe(posted.text);
  return /"metadata":(.*),"hash":/su.exec(posted.text)?.[1] ?? "";
}

describe("201, and the same value comes back", () => {
  test.each(FAITHFUL)("%s", async (sent, returned) => {
    expect(await stored(`{"v":${sent}}`)).toBe(`{"v":${returned}}`);
  });
});

describe("422, and the place is named", () => {
  test.each(
    UNFAITHFUL.map(
      ([metadata, place]) => [String(metadata).slice(0, 60), place, metadata] as const,
    ),
  )("%j at %s", async (_, place, metadata) => {
    const { status, body } = await client.post("/v1/events", around(metadata));
    expect(status).toBe(422);
    expect(body.error.type).toBe("validation_error");
    expect(body.error.details[0].field).toBe(place);
    const batched = Buffer.concat([
      Buffer.from('{"events":[{"type":"b"},'),
      around(metadata),
      Buffer.from("]}"),
    ]);
    const inBatch = await client.post("/v1/events/batch", batched);
    expect(inBatch.status).toBe(422);
    expect(inBatch.body.error.details[0].field).toContain(`events[1].${place.slice(0, 70)}`);
  });

  test.each(HOSTILE_BODIES)("%s, without a stall", async (_, body, place) => {
    const stall = await stallOf(
      gateway,
      async () => {
        const answer = await client.post("/v1/events", body);
        expect(answer.status).toBe(422);
        expect(answer.body.error.details[0].field).toContain(place);
        expect(answer.text.length).toBeLessThan(2_000);
      },
      MAX_STALL_MS,
    );
    expect(stall).toBeLessThan(MAX_STALL_MS);
  });
});

describe("no stall of the event loop", () => {
  test.each(HEAVY_BATCHES)(
    "by a batch of %s that uses the limits up, and is stored",
    async (_, body) => {
      const stall = await stallOf(
        gateway,
        async () => {
          const answer = await client.post("/v1/events/batch", body);
          expect(answer.status).toBe(201);
          expect(answer.body.data).toHaveLength(JSON.parse(body).events.length);
        },
        MAX_STALL_MS,
      );
      expect(stall).toBeLessThan(MAX_STALL_MS);
    },
  );

  test("by more values than a batch may have", async () => {
    const refuse = async () => {
      const { status, body } = await client.post("/v1/events/batch", TOO_MANY_VALUES);
      expect(status).toBe(422);
      expect(body.error.message).toContain("more than 60000 members and elements");
    };
    expect(await stallOf(gateway, refuse, MAX_STALL_MS)).toBeLessThan(MAX_STALL_MS);
  });

  test("others are served while hostile bodies arrive, and the process is the same at the end", async () => {
    const hostile = HOSTILE_BODIES.map(([, body]) => client.post("/v1/events", body));
    const ordinary = Array.from({ length: 100 }, () => client.post("/v1/events", { action: "a" }));
    const answers = await Promise.all([...hostile, ...ordinary]);
    expect(answers.slice(0, hostile.length).every(({ status }) => status === 422)).toBe(true);
    expect(answers.slice(hostile.length).every(({ status }) => status === 201)).toBe(true);
    expect(gateway.pid()).toBe(pid);
    expect((await client.get("/v1/verify")).body.data.valid).toBe(true);
  });

  test("control: the same measure finds a process with a longer turn", async () => {
    const registry = createRegistry("test");
    const admin = await startAdminServer({ host: "127.0.0.1", port: 0, registry, checks: {} });
    onTestFinished(() => admin.close());
    const measured = { adminUrl: `http://127.0.0.1:${admin.port}` };
    await longestStall(measured);
    const begun = process.threadCpuUsage().user;
    while (process.threadCpuUsage().user - begun < 1_000 * MAX_STALL_MS);
    expect(await longestStall(measured)).toBeGreaterThanOrEqual(MAX_STALL_MS);
  });
});
