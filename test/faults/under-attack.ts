// What another account notices of an attack: its requests alone and meanwhile, and the memory of each service
// against what the chart gives it. Called by the tests of attacks. No duration is asserted in the short form,
// which runs on busy machines.

import type { ServiceName } from "@annals/local";
import { HttpClient } from "@annals/testing";
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, inject } from "vitest";
import { peaks } from "../system/process-memory.ts";
import { report } from "../system/report.ts";
import { processesOf, type Testbed } from "../system/testbed.ts";

/** The memory limits of the chart's containers. */
const CHART_LIMITS_MB: Readonly<Record<ServiceName, number>> = {
  gateway: 512,
  keys: 384,
  ledger: 512,
  export: 512,
  "webhook-dispatcher": 512,
};

/** How much slower the slowest hundredth of another account's requests may become, on a quiet machine. */
const MAX_P99_RATIO = 3;
const CONNECTIONS = 4;
const WARM_UP_MS = 500;
const CHILD = fileURLToPath(new URL("./attack-child.ts", import.meta.url));

/** Settings of a gateway that ends slow readers within seconds, and takes addresses from a proxy. */
export const SHORT_WINDOWS = {
  ANNALS_RESPONSE_WINDOW_MS: "3000",
  ANNALS_TRUSTED_PROXIES: "127.0.0.0/8",
  // The default, which other tests must not reach.
  ANNALS_UNAUTHENTICATED_PER_SECOND: "20",
};
/** Longer than this window and that of bodies. */
export const RELEASED_WITHIN_MS = 20_000;

/** The account that takes no part in the attack, and where it sends its requests. */
export interface Other {
  readonly baseUrl: string;
  readonly key: string;
  /** Headers of each request, such as an address behind a trusted proxy. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Noticed {
  readonly requests: number;
  /** Status and text of what failed; the status is 0 where there was no answer. */
  readonly failed: readonly (readonly [status: number, text: string])[];
  readonly p99: number;
}

/** Half appends and half reads, each connection one after the other. */
async function otherAccount(
  { baseUrl, key, headers = {} }: Other,
  forMs: number,
): Promise<Noticed> {
  const until = performance.now() + forMs;
  const took: number[] = [];
  const failed: [number, string][] = [];
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, n) => {
      const client = new HttpClient(baseUrl, key);
      while (performance.now() < until) {
        const started = performance.now();
        const answer = await (
          n % 2 === 0
            ? client.post("/v1/events", { action: "other.account" }, { headers })
            : client.get("/v1/events?limit=1", { headers })
        ).catch((error: Error) => ({ status: 0, text: error.message }));
        took.push(performance.now() - started);
        if (answer.status !== (n % 2 === 0 ? 201 : 200)) failed.push([answer.status, answer.text]);
      }
      client.close();
    }),
  );
  took.sort((a, b) => a - b);
  return { requests: took.length, failed, p99: took[Math.floor((took.length - 1) * 0.99)] ?? 0 };
}

/** How the other account does alone, after a warm-up. */
export async function aloneFor(other: Other, forMs: number): Promise<Noticed> {
  await otherAccount(other, WARM_UP_MS);
  return otherAccount(other, forMs);
}

/** Runs `attack` of `module` in a process of its own. Resolves when it has begun, to what ends it. */
export async function attackFrom(module: URL, target: unknown): Promise<() => void> {
  const child = fork(CHILD, { execArgv: ["-C", "source"] });
  const begun = once(child, "message");
  const failed = once(child, "exit").then(([code]) => {
    throw new Error(`the attack ended with ${String(code)}`);
  });
  child.send({ module: module.href, target });
  await Promise.race([begun, failed]);
  failed.catch(() => {});
  return () => void child.kill("SIGKILL");
}

export interface UnderAttack {
  readonly other: Other;
  readonly alone: Noticed;
  readonly forMs: number;
  /** Begins the attack; what it returns ends it. */
  readonly begin: () => (() => unknown) | Promise<() => unknown>;
  /** Further figures of the report, read while the attack goes on. */
  readonly figures?: () => Promise<Readonly<Record<string, number>>>;
}

/**
 * Reports what the other account noticed and what the services held. Fails where a request of the other
 * account failed, or a service held more than the chart gives it.
 */
export async function underAttack(
  { stack }: Pick<Testbed, "stack">,
  { other, alone, forMs, begin, figures }: UnderAttack,
): Promise<Noticed> {
  const services = Object.keys(CHART_LIMITS_MB) as ServiceName[];
  const processes = services.flatMap((service) => processesOf(stack, service));
  const end = await begin();
  const { result: meanwhile, most } = await peaks(processes, () =>
    otherAccount(other, forMs),
  ).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  const further = await figures?.();
  await end();
  const memory = new Map<ServiceName, number>();
  for (const [at, { service }] of processes.entries()) {
    const name = service as ServiceName;
    memory.set(name, Math.max(memory.get(name) ?? 0, most[at] ?? 0));
  }
  const shown = {
    "requests alone": alone.requests,
    "under attack": meanwhile.requests,
    failed: meanwhile.failed.length,
    "p99 alone ms": alone.p99,
    "p99 under attack ms": meanwhile.p99,
    ...Object.fromEntries([...memory].map(([service, mb]) => [`${service} MB`, mb])),
    ...further,
  };
  report(shown);
  expect(meanwhile.failed.slice(0, 5), JSON.stringify(shown)).toStrictEqual([]);
  expect(meanwhile.requests).toBeGreaterThan(0);
  for (const [service, mb] of memory) expect(mb, service).toBeLessThan(CHART_LIMITS_MB[service]);
  if (inject("form").name === "full")
    expect(meanwhile.p99 / alone.p99, JSON.stringify(shown)).toBeLessThan(MAX_P99_RATIO);
  return meanwhile;
}
