// A stand-in for the load balancer before the gateways, for tests in which gateways come and go. Like one, it
// asks each gateway's readiness (/readyz of its admin server) ten times a second and sends requests, in turn
// and over a bounded number of kept-alive connections, to those that were ready when last asked; a question
// that gets no answer in time changes nothing, one that is refused or denied takes the gateway out. It sends
// a request to the next gateway when its connection was refused, so that no gateway has read it, and in
// no other case: an answer, whatever it says, and a connection lost on the way are the client's. It must
// never hide a failure.

import type { StackProcess } from "@annals/local";
import { type Answer, HttpClient, type Sent } from "@annals/testing";
import { Agent } from "node:http";

const PROBE_INTERVAL_MS = 100;
/** Long, so that a refusal is never taken for a late answer where this process itself is late. */
const PROBE_TIMEOUT_MS = 10_000;

/** To one gateway: more than it can use, fewer than wait to be accepted before the system drops some. */
const MAX_CONNECTIONS = 128;

interface Target {
  readonly adminUrl: string;
  readonly client: HttpClient;
  isReady: boolean;
  isAsked: boolean;
}

export class Balancer {
  readonly #targets: readonly Target[];
  readonly #probing: NodeJS.Timeout;
  #next = 0;
  /** Requests that were sent to another gateway because a connection was refused. */
  refusedConnections = 0;

  /** All `gateways` count as ready until they are asked. */
  constructor(gateways: readonly StackProcess[], key: string) {
    this.#targets = gateways.map(({ adminUrl = "", baseUrl = "" }) => ({
      adminUrl,
      client: new HttpClient(
        baseUrl,
        key,
        new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS }),
      ),
      isReady: true,
      isAsked: false,
    }));
    this.#probing = setInterval(() => {
      for (const target of this.#targets) void probe(target);
    }, PROBE_INTERVAL_MS);
  }

  get = (path: string): Promise<Answer> => this.#send("GET", path, {});
  post = (path: string, body?: unknown, sent?: Sent): Promise<Answer> =>
    this.#send("POST", path, { body, ...sent });

  /** Whether this gateway gets requests. */
  isReady({ adminUrl }: StackProcess): boolean {
    return this.#targets.some((target) => target.adminUrl === adminUrl && target.isReady);
  }

  close(): void {
    clearInterval(this.#probing);
    for (const { client } of this.#targets) client.close();
  }

  async #send(method: string, path: string, sent: Sent): Promise<Answer> {
    const ready = this.#targets.filter(({ isReady }) => isReady);
    const first = (this.#next += 1);
    for (let tried = 0; tried < ready.length; tried += 1) {
      try {
        return await (ready[(first + tried) % ready.length] as Target).client.send(
          method,
          path,
          sent,
        );
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ECONNREFUSED") throw error;
        this.refusedConnections += 1;
      }
    }
    throw new Error("no gateway is ready");
  }
}

/** One question at a time. */
async function probe(target: Target): Promise<void> {
  if (target.isAsked) return;
  target.isAsked = true;
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  try {
    const answer = await fetch(`${target.adminUrl}/readyz`, { signal });
    target.isReady = answer.status === 200;
    await answer.body?.cancel();
  } catch {
    if (!signal.aborted) target.isReady = false;
  }
  target.isAsked = false;
}
