// Webhook receivers for the benchmark: forks `receivers-child.ts` and reads the arrival times of deliveries
// from it. Called by measure/deliveries.ts.

import type { CertificateAuthority } from "@annals/certificates";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/**
 * The first message starts this many servers; each later one says how many deliveries to record.
 */
export type ToReceivers =
  | { readonly count: number; readonly cert: string; readonly key: string }
  | { readonly expected: number };

/** The event's number, and the arrival of its delivery on the shared clock. */
export type Arrival = readonly [sequenceNumber: number, atMs: number];

const CHILD = fileURLToPath(new URL("./receivers-child.ts", import.meta.url));
/** For all deliveries of one measurement. */
const ARRIVED_WITHIN_MS = 300_000;

export class Receivers {
  readonly urls: readonly string[];
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, ports: readonly number[]) {
    this.#child = child;
    this.urls = ports.map((port) => `https://127.0.0.1:${port}/`);
  }

  static async start(authority: CertificateAuthority, count: number): Promise<Receivers> {
    const child = fork(CHILD, { execArgv: ["-C", "source"] });
    child.send({ count, ...(await authority.issue(["127.0.0.1"])) } satisfies ToReceivers);
    const [ports] = (await once(child, "message")) as [number[]];
    return new Receivers(child, ports);
  }

  /** Resolves to the next `expected` deliveries, once they have arrived. */
  async next(expected: number): Promise<Arrival[]> {
    this.#child.send({ expected } satisfies ToReceivers);
    const signal = AbortSignal.timeout(ARRIVED_WITHIN_MS);
    const [arrivals] = (await once(this.#child, "message", { signal })) as [Arrival[]];
    return arrivals;
  }

  async close(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.disconnect();
    await ended;
  }
}
