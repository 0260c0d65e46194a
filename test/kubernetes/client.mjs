// A client of the API and a receiver of webhooks, in a pod of the test's own with the project's image.
// Started by namespace.ts: `receive` is the pod's process, the others run by `kubectl exec` beside it.
//
//   request KEY METHOD PATH [BODY]   prints {status, body}
//   connect HOST PORT                prints whether a connection opens: `open` or `closed`
//   load RATE KEY…                   appends so many times a second, with the keys of one account in
//                                    turn, until standard input ends; prints what came of it
//   receive                          answers each POST with 204 and prints it on a line
//   forward HOST PORT DELAY_MS       passes connections to the same port of a host; between a SIGUSR2 and the
//                                    next one every packet is late, each way

import { readFileSync } from "node:fs";
import { Agent, request as call } from "node:http";
import { createServer } from "node:https";
import { connect as open, createServer as listen } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const { GATEWAY } = process.env;
/** As proxies renew theirs: a Service balances connections, not requests. */
const REQUESTS_PER_CONNECTION = 10;
/** Of one of the callers of a load. */
const REQUESTS_PER_S = 4;
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

async function load(rate, ...keys) {
  const outcome = { statuses: {}, appended: 0, repeated: 0, last: 0, slowestMs: 0 };
  const numbers = new Set();
  let isOver = false;
  process.stdin.on("end", () => (isOver = true)).resume();
  const appendOnce = async (agent, key) => {
    const began = performance.now();
    const { status, body } = await append(agent, key).catch((error) => ({ status: error.code }));
    outcome.slowestMs = Math.max(outcome.slowestMs, Math.round(performance.now() - began));
    outcome.statuses[status] = (outcome.statuses[status] ?? 0) + 1;
    if (status !== 201) return;
    const number = JSON.parse(body).data.sequence_number;
    outcome.appended += 1;
    outcome.repeated += numbers.has(number) ? 1 : 0;
    outcome.last = Math.max(outcome.last, number);
    numbers.add(number);
  };
  // Every key has a caller, so that none exceeds its rate limit for the others.
  const callers = Math.max(keys.length, Math.round(rate / REQUESTS_PER_S));
  const pauseMs = (1_000 * callers) / rate;
  const caller = async (_, index) => {
    await delay((pauseMs * index) / callers);
    for (let agent, made = 0; !isOver; made += 1) {
      const next = delay(pauseMs);
      if (made % REQUESTS_PER_CONNECTION === 0) {
        agent?.destroy();
        agent = new Agent({ keepAlive: true, maxSockets: 1 });
      }
      await appendOnce(agent, keys[index % keys.length]);
      await next;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return outcome;
}

function append(agent, key) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const options = { agent, headers, method: "POST", timeout: TIMEOUT_MS };
    const calling = call(`${GATEWAY}/v1/events`, options, async (answer) => {
      const chunks = await answer.toArray().catch(reject);
      resolve({ status: answer.statusCode, body: String(Buffer.concat(chunks ?? [])) });
    });
    calling.on("error", reject).on("timeout", () => calling.destroy(new Error("timeout")));
    calling.end(JSON.stringify({ action: "load.append" }));
  });
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

function forward(host, port, delayMs) {
  let isSlow = false;
  process.on("SIGUSR2", () => (isSlow = !isSlow));
  const pass = (from, to) => {
    let last = Promise.resolve();
    from.on("data", (chunk) => {
      const due = isSlow ? delay(Number(delayMs)) : undefined;
      last = last.then(() => due).then(() => to.write(chunk));
    });
    from.on("error", () => {}).on("close", () => void last.then(() => to.destroy()));
  };
  listen((client) => {
    const server = open({ host, port: Number(port) });
    pass(client, server);
    pass(server, client);
  }).listen(Number(port));
}

const [verb, ...words] = process.argv.slice(2);
const printed = await { request, connect, load, receive, forward }[verb](...words);
if (printed !== undefined) process.stdout.write(JSON.stringify(printed));
