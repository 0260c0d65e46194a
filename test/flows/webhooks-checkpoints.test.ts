// Guarantee: a subscriber of log.checkpointed gets one signed delivery for each epoch in which its account
// grew, over two dispatchers that are killed in turn. Each has the checkpoint that the log serves, under the
// log's key, and leads to the next. A subscriber of `*` gets none.

import { eventually, type Received } from "@annals/testing";
import {
  accountKey,
  noteSigner,
  parseCheckpoint,
  parseNote,
  verifyConsistency,
  verifyNote,
} from "@annals/tlog";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { Contract } from "../system/openapi-contract.ts";
import { startWebhookSystem, type WebhookSystem } from "../system/webhook-constellation.ts";

const ORIGIN = "log.example/checkpoints";
/** At least these. */
const ROUNDS = 4;
const KILLS = 2;
const READY_MS = 60_000;
const WITHIN_MS = 60_000;
const LONG_MS = 180_000;
const NAME = "log.checkpointed";

let system: WebhookSystem;
beforeAll(async () => {
  system = await startWebhookSystem(
    // A short deadline, so that what a killed process had in flight is soon claimed again.
    { ANNALS_WEBHOOK_TIMEOUT_MS: "1000", ANNALS_WEBHOOK_SWEEP_INTERVAL_MS: "200" },
    { shared: inject("stack"), replicas: { "webhook-dispatcher": 2 }, without: ["export"] },
    { ledger: { ANNALS_LOG_EPOCH_S: "1", ANNALS_LOG_ORIGIN: ORIGIN } },
  );
});
afterAll(() => system.stop());

type Client = Awaited<ReturnType<WebhookSystem["client"]>>;

async function subscribed(client: Client, events: readonly string[]) {
  const subscriber = await system.subscriber();
  const { body, status } = await client.post("/v1/webhooks", { url: subscriber.url(), events });
  expect(status).toBe(201);
  return { subscriber, secret: body.data.secret as string };
}

/** The sizes of the account's log by the epochs in which it grew. */
async function growth(client: Client): Promise<Map<number, number>> {
  const sizes = new Map<number, number>();
  let [after, size, hasMore] = [0, 0, true];
  while (hasMore) {
    const { body } = await client.get(`/v1/log/heads?after_epoch=${after}`);
    for (const { epoch, head } of body.data) {
      if (head.size > size) sizes.set(epoch, head.size);
      [after, size] = [epoch, head.size];
    }
    hasMore = body.has_more;
  }
  return sizes;
}

/** Kills one dispatcher after the other, and starts it again, until told to end. */
async function killInTurn(isEnded: () => boolean, killed: () => void): Promise<void> {
  for (let kills = 0; !isEnded(); kills += 1) {
    const victim = system.processOf("webhook-dispatcher", (kills % 2) + 1);
    victim.kill("SIGKILL");
    await victim.exited();
    await victim.waitReady(READY_MS);
    killed();
  }
}

test(
  "each epoch once, with its checkpoint, while dispatchers are killed",
  async () => {
    const client = await system.client();
    const named = await subscribed(client, [NAME]);
    const all = await subscribed(client, ["*"]);
    const received = () => named.subscriber.received.map(({ json }) => json);
    let [kills, rounds] = [0, 0];
    const appends = async (): Promise<void> => {
      while (rounds < ROUNDS || kills < KILLS) {
        rounds += 1;
        const round = rounds;
        expect((await client.post("/v1/events", { action: "thing.done" })).status).toBe(201);
        const has = () => received().some(({ data }) => data.size === round);
        await eventually("the delivery of the events so far", has, WITHIN_MS);
      }
    };
    let isEnded = false;
    const appending = appends().finally(() => (isEnded = true));
    const killing = killInTurn(
      () => isEnded,
      () => (kills += 1),
    );
    await Promise.all([killing, appending]);
    const grown = await growth(client);
    expect(grown.size).toBe(rounds);
    // A delivery may arrive twice where its sender was killed. It was made once.
    const made = new Map(received().map((json) => [json.id, json.data]));
    expect([...made.values()].map(({ epoch, size }) => [epoch, size])).toEqual([...grown]);
    await expectVerified(client, named);
    await all.subscriber.waitFor(rounds);
    const names = new Set(all.subscriber.received.map(({ json }) => json.event));
    expect([...names]).toEqual(["event.created"]);
  },
  LONG_MS,
);

async function expectVerified(
  client: Client,
  { secret, subscriber }: Awaited<ReturnType<typeof subscribed>>,
): Promise<void> {
  const contract = new Contract((await client.get("/openapi.json")).body);
  const line = await readFile(join(system.stack.dataDir, "log-key"), "utf8");
  const { key } = noteSigner(ORIGIN, Buffer.from(line.trim(), "base64"));
  const served = (await client.get("/v1/log/checkpoint")).text;
  const newest = parseCheckpoint(parseNote(served).text);
  const last = subscriber.received.find(({ json }) => json.data.size === newest.size);
  expect(last?.json.data.checkpoint).toBe(served);
  for (const one of subscriber.received as readonly Received[]) {
    const { checkpoint, origin, root, size } = one.json.data;
    expect(one.json.event).toBe(NAME);
    new Webhook(secret).verify(one.body, one.headers as Record<string, string>);
    expect(contract.deliveryFaults(one)).toEqual([]);
    const note = parseNote(checkpoint);
    verifyNote(note, [accountKey(key, client.accountId)]);
    const head = parseCheckpoint(note.text);
    const name = `${ORIGIN}/${client.accountId}`;
    expect([head.origin, origin]).toEqual([name, name]);
    expect([head.size, head.root.toString("hex")]).toEqual([size, root]);
    const { body } = await client.get(`/v1/log/consistency?from=${size}&to=${newest.size}`);
    const proof = body.data.hashes.map((hash: string) => Buffer.from(hash, "hex"));
    verifyConsistency(head, newest, proof);
  }
}
