// A client of the API and a receiver of webhooks, in a pod of the test's own with the project's image.
// Started by namespace.ts: `receive` is the pod's process, the others run by `kubectl exec` beside it.
//
//   request KEY METHOD PATH [BODY]   prints {status, body}
//   connect HOST PORT                prints whether a connection opens: `open` or `closed`
//   load KEY…                        appends with each key until standard input ends; counts statuses
//   receive                          answers each POST with 204 and prints it on a line

import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { connect as open } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const { GATEWAY } = process.env;
/** Below the rate limit of a key, 100 a minute. */
const PAUSE_MS = 750;
const TIMEOUT_MS = 30_000;
/** A NetworkPolicy drops what it does not admit. */
const CONNECT_TIMEOUT_MS = 3_000;

async function request(key, method, path, body) {
  const response = await fetch(GATEWAY + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, body: await response.text() };
}

function connect(host, port) {
  return new Promise((resolve) => {
    const socket = open({ host, port: Number(port), timeout: CONNECT_TIMEOUT_MS });
    const end = (outcome) => () => {
      socket.destroy();
      resolve(outcome);
    };
    socket.on("connect", end("open")).on("error", end("closed")).on("timeout", end("closed"));
  });
}

async function load(...keys) {
  const counts = {};
  let isOver = false;
  process.stdin.on("end", () => (isOver = true)).resume();
  await Promise.all(
    keys.map(async (key) => {
      while (!isOver) {
        const event = JSON.stringify({ action: "load.append" });
        const status = await request(key, "POST", "/v1/events", event).then(
          (answer) => answer.status,
          (error) => String(error.cause?.code ?? error),
        );
        counts[status] = (counts[status] ?? 0) + 1;
        await delay(PAUSE_MS);
      }
    }),
  );
  return counts;
}

function receive() {
  const [cert, key] = ["tls.crt", "tls.key"].map((name) => readFileSync(`/tls/${name}`));
  createServer({ cert, key }, async (incoming, answer) => {
    const chunks = await incoming.toArray();
    const { headers } = incoming;
    process.stdout.write(
      `${JSON.stringify({ headers, body: Buffer.concat(chunks).toString() })}\n`,
    );
    answer.writeHead(204).end();
  }).listen(8443);
}

const [verb, ...words] = process.argv.slice(2);
const printed = await { request, connect, load, receive }[verb](...words);
if (printed !== undefined) process.stdout.write(JSON.stringify(printed));
