// Load over HTTP from a process of its own, so that making it and measuring it take nothing from
// what is measured but their share of the machine. `http-load-child.ts` is that process.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface LoadJob {
  /** `http://127.0.0.1:<port>` */
  readonly baseUrl: string;
  readonly method: "GET" | "POST";
  /** Request paths; each connection takes them in turn, like the bodies. */
  readonly paths: readonly string[];
  readonly bodies: readonly string[];
  /** Connection i sends key i modulo their number; none for a server that asks for none. */
  readonly keys: readonly string[];
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Ends the measurement when so many requests were counted. */
  readonly maxRequests?: number;
  readonly status: number;
}

/** What a measurement under load gives. */
export interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface LoadResult extends Figures {
  readonly requests: number;
}

const CHILD = fileURLToPath(new URL("./http-load-child.ts", import.meta.url));

/**
 * Every request is answered before the next one of its connection is sent. Throws when one has
 * another status.
 */
export async function httpLoad(job: LoadJob): Promise<LoadResult> {
  const child = fork(CHILD, { execArgv: ["-C", "source"] });
  const failed = once(child, "exit").then(([code]) => {
    throw new Error(`the load generator ended with ${String(code)}`);
  });
  child.send(job);
  const [result] = (await Promise.race([once(child, "message"), failed])) as [LoadResult];
  failed.catch(() => {});
  child.disconnect();
  return result;
}
