// A receiver of Annals' webhooks that needs only Node 20 or newer. It verifies both signatures,
// handles each event once and in order, and lists what it missed. docs/webhooks.md explains it.
//
//   WEBHOOK_SECRET=whsec_... ANNALS_URL=https://annals.example.com ANNALS_KEY=annals_sk_... node receiver.mjs
//
// It uses HTTPS if TLS_CERT and TLS_KEY name PEM files, otherwise HTTP, for use behind a TLS proxy.

import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";

const { WEBHOOK_SECRET = "", ANNALS_URL = "", ANNALS_KEY = "", TLS_CERT, TLS_KEY } = process.env;
/** During a rotation WEBHOOK_SECRET holds both secrets, separated by a space. */
const SECRETS = WEBHOOK_SECRET.split(" ");
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_AGE_S = 5 * 60;

/** The last event that was handled. Keep it in your database, in the transaction that handles the event. */
let handledUpTo = Number(process.env.START_AFTER ?? 0);

function handle(event) {
  console.log(`event ${event.sequence_number} ${event.action}`);
}

/** X-Service-Signature: hex HMAC-SHA256 of the raw body, keyed with the secret as it was shown. */
function isServiceSignatureValid(headers, body) {
  return SECRETS.some((secret) => {
    const expected = createHmac("sha256", secret).update(body).digest("hex");
    return isSame(expected, headers["x-service-signature"] ?? "");
  });
}

/** Standard Webhooks: base64 HMAC-SHA256 of `id.timestamp.body`, keyed with the bytes after whsec_. */
function isStandardSignatureValid(headers, body) {
  const { "webhook-id": id = "", "webhook-timestamp": timestamp = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= MAX_AGE_S)) return false;
  const signatures = (headers["webhook-signature"] ?? "").split(" ");
  return SECRETS.some((secret) => {
    const key = Buffer.from(secret.replace("whsec_", ""), "base64");
    const mac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body);
    const expected = `v1,${mac.digest("base64")}`;
    return signatures.some((given) => isSame(expected, given));
  });
}

/** Compares in constant time. */
function isSame(expected, given) {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Handles an event once, after every earlier event that did not arrive. */
async function take(event) {
  while (handledUpTo + 1 < event.sequence_number) {
    const query = `order=asc&limit=100&after_sequence=${handledUpTo}&before_sequence=${event.sequence_number}`;
    const listed = await fetch(`${ANNALS_URL}/v1/events?${query}`, {
      headers: { authorization: `Bearer ${ANNALS_KEY}` },
    });
    if (!listed.ok) throw new Error(`listing failed with ${listed.status}`);
    const { data } = await listed.json();
    if (data.length === 0) throw new Error("the log lacks the missing events");
    for (const missed of data) handleOnce(missed);
  }
  handleOnce(event);
}

function handleOnce(event) {
  if (event.sequence_number !== handledUpTo + 1) return;
  handle(event);
  handledUpTo = event.sequence_number;
}

/** One delivery at a time, so that events are handled in order. */
let queue = Promise.resolve();

async function respond(request, response) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return response.writeHead(413).end();
    chunks.push(chunk);
  }
  // The raw bytes: JSON that was parsed and serialised again has another signature.
  const body = Buffer.concat(chunks);
  const { headers } = request;
  if (!isServiceSignatureValid(headers, body) || !isStandardSignatureValid(headers, body)) {
    return response.writeHead(401).end();
  }
  const { event, data } = JSON.parse(body.toString("utf8"));
  if (event === "event.created") {
    const taken = queue.then(() => take(data));
    queue = taken.catch(() => {});
    await taken;
  } else console.log(event);
  response.writeHead(204).end();
}

function listener(request, response) {
  respond(request, response).catch((error) => {
    console.error(String(error));
    // Any status but 2xx causes a retry.
    response.writeHead(500).end();
  });
}

const server =
  TLS_CERT && TLS_KEY
    ? createSecureServer({ cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) }, listener)
    : createServer(listener);
server.listen(Number(process.env.PORT ?? 8081), () => {
  console.log(`listening on ${server.address().port}`);
});
