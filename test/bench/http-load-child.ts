// The load generator: reads jobs from its parent, one after the other, keeps every connection busy with one
// request at a time, and returns the figures. Forked by http-load.ts. It must never pipeline requests on a
// connection.

import { setTimeout as delay } from "node:timers/promises";
import { HttpConnection } from "./http-connection.ts";
import type { LoadJob, LoadResult } from "./http-load.ts";

process.on("message", (job: LoadJob) => {
  void run(job).then((result) => process.send?.(result));
});

async function run(job: LoadJob): Promise<LoadResult> {
  const baseUrls = [job.baseUrl].flat();
  const start = performance.now();
  const from = start + job.warmUpMs;
  const until = from + job.measureMs;
  const latencies: number[] = [];
  let last = from;
  const isOver = (now: number) => now >= until || latencies.length >= (job.maxRequests ?? Infinity);

  /** When a connection sends its request of this number. */
  async function due(nth: number, index: number): Promise<number> {
    if (job.pace === undefined) return performance.now();
    const at = start + ((nth * job.connections + index) / job.pace) * 1_000;
    await delay(Math.max(0, at - performance.now()));
    return at;
  }

  async function keepBusy(index: number): Promise<void> {
    const { hostname, port } = new URL(baseUrls[index % baseUrls.length] ?? "");
    const requests: Buffer[] = [];
    const count = Math.max(job.paths.length, job.bodies.length);
    const host = `${hostname}:${port}`;
    const connection = await HttpConnection.open(hostname, Number(port));
    let now = performance.now();
    for (let turn = index; !isOver(now); turn++) {
      const request = (requests[turn % count] ??= requestOf(job, index, turn % count, host));
      if (job.numbered !== undefined) number(request, job.numbered, index, turn);
      const sent = await due(turn - index, index);
      const { status, text } = await connection.exchange(request);
      now = performance.now();
      if (status !== job.status) throw new Error(`answered ${status}: ${text().slice(0, 500)}`);
      if (sent >= from && now <= until) {
        latencies.push(now - sent);
        last = now;
      }
    }
    connection.close();
  }

  await Promise.all(Array.from({ length: job.connections }, (_, index) => keepBusy(index)));
  const sorted = Float64Array.from(latencies).sort();
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return {
    requests: sorted.length,
    perSecond: (sorted.length / (last - from)) * 1_000,
    p50Ms: at(0.5) ?? 0,
    p99Ms: at(0.99) ?? 0,
  };
}

/** A request of one connection as bytes: one for each body, or one for each path without bodies. */
function requestOf(job: LoadJob, index: number, turn: number, host: string): Buffer {
  const key = job.keys[index % Math.max(1, job.keys.length)];
  const text = job.bodies[turn % Math.max(1, job.bodies.length)];
  const body = Buffer.from(text ?? "", job.mediaType === undefined ? "utf8" : "latin1");
  const head = [
    `${job.method} ${job.paths[turn % job.paths.length]} HTTP/1.1`,
    `host: ${host}`,
    ...(key === undefined ? [] : [`authorization: Bearer ${key}`]),
    ...(text === undefined
      ? []
      : [`content-type: ${job.mediaType ?? "application/json"}`, `content-length: ${body.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}

/** The places of the digits in each request, which hold another number from the first time on. */
const places = new WeakMap<Buffer, readonly number[]>();

/** Writes a number that no other request of this run has. */
function number(request: Buffer, digits: string, index: number, turn: number): void {
  const found = places.get(request) ?? placesOf(request, digits);
  places.set(request, found);
  const text = `${index}${String(turn).padStart(digits.length - String(index).length, "0")}`;
  for (const at of found) request.write(text, at, "latin1");
}

function placesOf(request: Buffer, digits: string): number[] {
  const found: number[] = [];
  for (let at = request.indexOf(digits); at >= 0; at = request.indexOf(digits, at + 1))
    found.push(at);
  return found;
}
