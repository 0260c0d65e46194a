// HTTP load from a process of its own (`http-load-child.ts`), so that the load generator shares only the CPUs
// with the measured service. Called by most measurements.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface LoadJob {
  /** `http://127.0.0.1:<port>`; of several, connection i has number i modulo their number. */
  readonly baseUrl: string | readonly string[];
  readonly method: "GET" | "POST";
  /** Request paths; each connection takes them in turn, like the bodies. */
  readonly paths: readonly string[];
  readonly bodies: readonly string[];
  /** JSON in UTF-8 by default. Bodies of any other type are in latin1, a character for each byte. */
  readonly mediaType?: string;
  /** Digits in bodies that become another number of the same length in each request. */
  readonly numbered?: string;
  /** Requests a second of all connections together. By default each sends the next one at once. */
  readonly pace?: number;
  /** Connection i sends key i modulo their number; none for a server that asks for none. */
  readonly keys: readonly string[];
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Ends the measurement after this many requests. */
  readonly maxRequests?: number;
  readonly status: number;
}

/** The result of a measurement under load. */
export interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface LoadResult extends Figures {
  readonly requests: number;
}

const CHILD = fileURLToPath(new URL("./http-load-child.ts", import.meta.url));

/** A process that takes one job after the other, so that short ones need not wait for its start. */
export class LoadGenerator {
  readonly #child = fork(CHILD, { execArgv: ["-C", "source"] });
  readonly #failed = once(this.#child, "exit").then(([code]) => {
    throw new Error(`the load generator ended with ${String(code)}`);
  });

  constructor() {
    this.#failed.catch(() => {});
  }

  /**
   * Sends the next request of a connection after the response to the one before. With a pace, latencies are
   * from the moment when a request was due. Throws on another status.
   */
  async run(job: LoadJob): Promise<LoadResult> {
    this.#child.send(job);
    const answered = once(this.#child, "message");
    const [result] = (await Promise.race([answered, this.#failed])) as [LoadResult];
    return result;
  }

  close(): void {
    this.#child.disconnect();
  }
}

/** One job in a process of its own. */
export async function httpLoad(job: LoadJob): Promise<LoadResult> {
  const generator = new LoadGenerator();
  const result = await generator.run(job);
  generator.close();
  return result;
}
