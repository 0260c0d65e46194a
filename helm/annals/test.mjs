// What `helm test` runs, in a pod of the chart's image. As a client with one API key it appends, lists,
// verifies, triggers a webhook and revokes a key. It deletes what it creates, except the events, which stay
// in the log. It prints a line for each step and exits with status 1 at the first step that fails.
//
// GATEWAY is the URL of the API, API_KEY a key with all scopes, RECEIVER the URL of this pod. IS_DELIVERED is
// "true" if the release may call private addresses: then the delivery has to arrive.

import { createHmac, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { setTimeout as delay } from "node:timers/promises";

const { GATEWAY, API_KEY, RECEIVER } = process.env;
const IS_DELIVERED = process.env.IS_DELIVERED === "true";
const WITHIN_MS = 60_000;
const POLL_MS = 250;
const REQUEST_TIMEOUT_MS = 20_000;
const PORT = 8443;

const undo = [];

function check(isTrue, step, got) {
  if (!isTrue) throw new Error(`${step} failed: ${JSON.stringify(got)}`);
  say(`ok: ${step}`);
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

async function request(key, method, path, body) {
  const response = await fetch(GATEWAY + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const text = await response.text();
  return { status: response.status, ...(text.startsWith("{") ? JSON.parse(text) : {}) };
}

/** Resolves to the first value that `attempt` gives, or to undefined when the time is over. */
async function eventually(attempt) {
  const until = Date.now() + WITHIN_MS;
  while (Date.now() < until) {
    const value = await attempt();
    if (value !== undefined) return value;
    await delay(POLL_MS);
  }
  return undefined;
}

/** The first response without a server error: services behind the gateway may still be starting. */
function responded(...call) {
  return eventually(async () => {
    const response = await request(...call);
    return response.status < 500 ? response : undefined;
  });
}

/** Collects what the webhook sends. Without a certificate nothing can arrive. */
function receive() {
  const received = [];
  if (!IS_DELIVERED) return received;
  const [cert, key] = ["tls.crt", "tls.key"].map((name) => readFileSync(`/etc/annals/tls/${name}`));
  const server = createServer({ cert, key }, async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray());
    received.push({ signature: incoming.headers["x-service-signature"], body });
    outgoing.writeHead(204).end();
  });
  server.listen(PORT).unref();
  return received;
}

async function checkWebhook(key, received) {
  const url = new URL(randomUUID(), RECEIVER).href;
  const made = await responded(key, "POST", "/v1/webhooks", { url, events: ["event.created"] });
  check(made?.status === 201, "create a webhook", made?.error ?? made?.status);
  const path = `/v1/webhooks/${made.data.id}`;
  undo.push(() => request(API_KEY, "DELETE", path));
  const appended = await request(key, "POST", "/v1/events", { action: "helm.test.webhook" });
  check(appended.status === 201, "append an event for the webhook", appended);
  if (!IS_DELIVERED) {
    const attempted = await eventually(async () => {
      const { data = [] } = await request(key, "GET", `${path}/deliveries`);
      return data.find(({ attempts }) => attempts > 0);
    });
    check(attempted !== undefined, "attempt the delivery", "no attempt in a minute");
    say("not checked: the delivery itself, since tests.webhook is false");
    return;
  }
  const delivery = await eventually(() =>
    received.find(({ body }) => body.includes(appended.data.id)),
  );
  check(delivery !== undefined, "deliver the webhook to this pod", "no delivery in a minute");
  const signature = createHmac("sha256", made.data.secret).update(delivery.body).digest("hex");
  check(delivery.signature === signature, "sign the delivery", delivery.signature);
}

async function run() {
  if (!API_KEY)
    throw new Error("there is no API key: name a Secret that has one with all scopes in tests.key");
  const received = receive();
  const made = await responded(API_KEY, "POST", "/v1/api-keys", { name: "helm test" });
  check(made?.status === 201, "create a key", made);
  const { id, key } = made.data;
  const revoke = () => request(API_KEY, "DELETE", `/v1/api-keys/${id}`);
  undo.push(revoke);
  const appended = await request(key, "POST", "/v1/events", { action: "helm.test" });
  check(appended.status === 201, "append an event", appended);
  const listed = await request(key, "GET", "/v1/events");
  check(
    listed.data?.some((event) => event.id === appended.data.id),
    "list it",
    listed,
  );
  const verified = await request(key, "GET", "/v1/verify");
  check(verified.data?.valid === true, "verify the chain", verified);
  await checkWebhook(key, received);
  const revoked = await revoke();
  check(revoked.status === 204, "revoke the key", revoked);
  const refused = await request(key, "GET", "/v1/events");
  check(refused.status === 401, "refuse the revoked key", refused.status);
}

try {
  await run();
} catch (error) {
  say(`${error.message} ${error.cause ?? ""}`);
  process.exitCode = 1;
}
for (const step of undo.toReversed()) await step().catch(() => undefined);
process.exit();
