// Guarantee: a subscriber's server gets what it asked for, once each, with the bytes that the
// operation answered, signed in two schemes that implementations which are not ours verify; and the
// receivers of docs/receivers work as they stand.

import { freePort } from "@annals/local";
import { eventually, type Received } from "@annals/testing";
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Contract } from "../system/openapi-contract.ts";
import { sharedWebhookSystem } from "../system/webhook-constellation.ts";
import { hasPython } from "../system/programs.ts";

const PAYLOAD_ID = /^wh_evt_[0-9a-z]{26}$/;
const RECEIVERS = join(import.meta.dirname, "../../docs/receivers");

let system: Awaited<ReturnType<typeof sharedWebhookSystem>>;
beforeAll(async () => {
  system = await sharedWebhookSystem();
});
afterAll(() => system.close());

function expectSigned({ headers, body, json }: Received, secret: string): void {
  const mac = createHmac("sha256", secret).update(body).digest("hex");
  expect(headers["x-service-signature"]).toBe(mac);
  const verified = new Webhook(secret).verify(body, headers as Record<string, string>);
  expect(verified).toEqual(json);
  expect(headers["webhook-id"]).toBe(json.id);
  expect(headers["content-type"]).toBe("application/json");
  expect(headers["user-agent"]).toMatch(/^Annals/);
}

async function exported(client: Awaited<ReturnType<typeof system.client>>) {
  const { body } = await client.post("/v1/exports", {});
  return eventually("the export is completed", async () => {
    const answer = await client.get(`/v1/exports/${body.data.id}`);
    return answer.body.data.status === "completed" && answer.body.data;
  });
}

describe("what arrives", () => {
  test("each name, and everything for *", async () => {
    const client = await system.client();
    const contract = new Contract((await client.get("/openapi.json")).body);
    const names = ["event.created", "event.verified", "export.completed", "*"];
    const hooks = await Promise.all(
      names.map(async (name) => {
        const subscriber = await system.subscriber();
        const answer = await client.post("/v1/webhooks", { url: subscriber.url(), events: [name] });
        expect(answer.status).toBe(201);
        return { name, subscriber, ...answer.body.data };
      }),
    );
    const event = await client.post("/v1/events", { action: "user.login", actor: { id: "é😀" } });
    const verified = await client.get("/v1/verify");
    const completed = await exported(client);
    const happened = {
      "event.created": event.body.data,
      "event.verified": verified.body.data,
      "export.completed": completed,
    };
    for (const { name, subscriber, secret } of hooks) {
      const wanted =
        name === "*" ? Object.entries(happened) : [[name, happened[name as "event.created"]]];
      const received = await subscriber.waitFor(wanted.length);
      expect(received.length).toBe(wanted.length);
      for (const one of received) {
        expect(Object.keys(one.json)).toEqual(["id", "event", "data", "timestamp"]);
        expect(one.json.id).toMatch(PAYLOAD_ID);
        expect(one.json.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
        expectSigned(one, secret);
        expect(contract.deliveryFaults(one)).toEqual([]);
      }
      const seen = received.map((one: Received) => [one.json.event, one.json.data]);
      expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(wanted));
    }
    // A test, while two secrets are valid.
    const path = `/v1/webhooks/${hooks[3]?.id}`;
    await client.post(`${path}/rotate-secret`, {});
    await client.post(`${path}/test`);
    const tested = (await hooks[3]?.subscriber.waitFor(4))?.[3];
    expect(tested?.json.event).toBe("webhook.test");
    expect(tested && contract.deliveryFaults(tested)).toEqual([]);
    // The very text of the event, not another writing of the same value.
    const { text } = await client.get(`/v1/events/${event.body.data.id}`);
    const data = text.slice(`{"data":`.length, -1);
    expect(hooks[0]?.subscriber.received[0].body.toString()).toContain(
      `"data":${data},"timestamp"`,
    );
  });

  test("every event of a batch, once, and none for a replay", async () => {
    const client = await system.client();
    const subscriber = await system.subscriber();
    await client.post("/v1/webhooks", { url: subscriber.url(), events: ["event.created"] });
    const events = Array.from({ length: 250 }, (_, index) => ({ action: `a.${index}` }));
    const headers = { "idempotency-key": "once" };
    const first = await client.post("/v1/events/batch", { events }, { headers });
    const again = await client.post("/v1/events/batch", { events }, { headers });
    expect([first.status, again.headers["idempotent-replayed"]]).toEqual([201, "true"]);
    const last = await client.post("/v1/events", { action: "last" });
    await subscriber.waitFor(251);
    const sequences = subscriber.received.map((one: Received) =>
      Number(one.json.data.sequence_number),
    );
    expect(sequences.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 251 }, (_, i) => i + 1),
    );
    expect(last.body.data.sequence_number).toBe(251);
  });

  test("nothing that was stored before the webhook, and nothing of another account", async () => {
    const [client, other] = [await system.client(), await system.client()];
    const subscriber = await system.subscriber();
    await client.post("/v1/events", { action: "before" });
    await client.post("/v1/webhooks", { url: subscriber.url(), events: ["*"] });
    await other.post("/v1/events", { action: "of another" });
    await client.post("/v1/events", { action: "after" });
    await subscriber.waitFor(1);
    expect(subscriber.received.map(({ json }) => json.data.action)).toEqual(["after"]);
  });
});

describe("the receivers of docs", () => {
  const receivers: [string, string[]][] = [["receiver.mjs", [process.execPath, "receiver.mjs"]]];
  if (hasPython) receivers.push(["receiver.py", ["python3", "receiver.py"]]);

  test.each(receivers)(
    "%s handles each event once and in order, and heals what it missed",
    async (_, words) => {
      const client = await system.client();
      // A webhook is made for a port that is known before its secret is.
      const port = await freePort();
      const hook = await client.post("/v1/webhooks", {
        url: `https://127.0.0.1:${port}/`,
        events: ["*"],
      });
      const { id, secret } = hook.body.data;
      // Disabled, it misses the first three.
      await client.patch(`/v1/webhooks/${id}`, { active: false });
      for (let i = 1; i <= 3; i++) await client.post("/v1/events", { action: `missed.${i}` });
      await client.patch(`/v1/webhooks/${id}`, { active: true });
      const receiver = await startReceiver(words, port, secret, client.key);
      for (let i = 4; i <= 10; i++) await client.post("/v1/events", { action: `told.${i}` });
      await client.get("/v1/verify");
      await receiver.says("event 10 told.10");
      await receiver.says("event.verified");
      const events = receiver.lines().filter((line) => line.startsWith("event "));
      expect(events).toEqual([
        ...[1, 2, 3].map((n) => `event ${n} missed.${n}`),
        ...[4, 5, 6, 7, 8, 9, 10].map((n) => `event ${n} told.${n}`),
      ]);
      const { body } = await client.get(`/v1/webhooks/${id}/deliveries`);
      expect(body.data.every((one: { status: string }) => one.status === "success")).toBe(true);
    },
  );

  test.each(receivers)(
    "%s goes on during a rotation, with the old secret or both",
    async (_, words) => {
      const client = await system.client();
      for (const knowsBoth of [false, true]) {
        const port = await freePort();
        const url = `https://127.0.0.1:${port}/`;
        const { id, secret } = (await client.post("/v1/webhooks", { url, events: ["*"] })).body
          .data;
        const rotated = await client.post(`/v1/webhooks/${id}/rotate-secret`, {});
        const secrets = knowsBoth ? `${rotated.body.data.secret} ${secret}` : secret;
        const receiver = await startReceiver(words, port, secrets, client.key);
        await client.post(`/v1/webhooks/${id}/test`);
        await receiver.says("webhook.test");
        expect(receiver.lines()).toContain("webhook.test");
      }
    },
  );

  test.each(receivers)("%s refuses what is not signed with its secret", async (_, words) => {
    const client = await system.client();
    const port = await freePort();
    const secret = `whsec_${Buffer.alloc(32).toString("base64")}`;
    const receiver = await startReceiver(words, port, secret, client.key);
    const hook = await client.post("/v1/webhooks", {
      url: `https://127.0.0.1:${port}/`,
      events: ["*"],
    });
    await client.post("/v1/events", { action: "forged" });
    const path = `/v1/webhooks/${hook.body.data.id}/deliveries`;
    const record = await eventually(
      "an attempt",
      async () => (await client.get(path)).body.data[0],
    );
    expect(record).toMatchObject({ status: "failed", status_code: 401, attempts: 1 });
    expect(receiver.lines().filter((line) => line.startsWith("event "))).toEqual([]);
  });
});

async function startReceiver(
  [command = "", ...words]: string[],
  port: number,
  secret: string,
  key: string,
) {
  const folder = await certificateFolder();
  const child: ChildProcess = spawn(command, words, {
    cwd: RECEIVERS,
    env: {
      PATH: process.env["PATH"],
      PORT: String(port),
      WEBHOOK_SECRET: secret,
      ANNALS_URL: system.stack.baseUrls[0] ?? "",
      ANNALS_KEY: key,
      TLS_CERT: join(folder, "cert.pem"),
      TLS_KEY: join(folder, "key.pem"),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const lines = () => said.split("\n");
  const says = (line: string) => eventually(line, () => lines().includes(line));
  await says(`listening on ${port}`);
  return { lines, says };
}

/** A folder with cert.pem and key.pem of a receiver on loopback; gone when the test ends. */
async function certificateFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "annals-receiver-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { cert, key } = await system.authority.issue(["127.0.0.1"]);
  writeFileSync(join(folder, "cert.pem"), cert);
  writeFileSync(join(folder, "key.pem"), key);
  return folder;
}
