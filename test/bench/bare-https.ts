// The baseline of deliveries: Node's own HTTPS client posts bodies of the same size to the same receivers,
// with as many requests in flight as one replica of the dispatcher. It reads no database and signs nothing.
// Called by measure/deliveries.ts.

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";

export interface BareHttpsJob {
  readonly urls: readonly string[];
  /** PEM. */
  readonly ca: string;
  readonly body: string;
  /** Requests in flight to each receiver. */
  readonly inFlight: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

export interface BareHttpsResult {
  readonly perSecond: number;
  readonly latenciesMs: readonly number[];
}

export async function bareHttps(job: BareHttpsJob): Promise<BareHttpsResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: job.inFlight, ca: job.ca });
  const from = performance.now() + job.warmUpMs;
  const until = from + job.measureMs;
  const latenciesMs: number[] = [];
  const sender = async (url: string): Promise<void> => {
    while (performance.now() < until) {
      const sent = performance.now();
      await post(agent, url, job.body);
      const now = performance.now();
      if (sent >= from && now <= until) latenciesMs.push(now - sent);
    }
  };
  const senders = job.urls.flatMap((url) =>
    Array.from({ length: job.inFlight }, () => sender(url)),
  );
  await Promise.all(senders);
  agent.destroy();
  return { perSecond: (latenciesMs.length / job.measureMs) * 1_000, latenciesMs };
}

async function post(agent: Agent, url: string, body: string): Promise<void> {
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  };
  const sent = request(url, { method: "POST", agent, headers });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const ended = once(response, "end");
  response.resume();
  await ended;
}
