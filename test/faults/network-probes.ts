// Requests of every kind, each with the links that it needs, and what is wrong with their answers while one
// of the links is faulty. Called by network-faults.test.ts. It must never wait without a bound, nor forgive
// an answer that comes too late.

import type { Answer, HttpClient } from "@annals/testing";
import { setTimeout as pause } from "node:timers/promises";
import { type Fault, SLOWED_BY_MS } from "./network-proxy.ts";
import type { LinkName } from "./network-system.ts";

export interface Probe {
  readonly name: string;
  readonly needs: readonly LinkName[];
  readonly status: number;
  readonly ask: () => Promise<Answer>;
}

/** The deadline of a call, and what the way there and back may take on a machine with other work. */
const DEADLINE_MS = 10_000;
const GRACE_MS = 2_000;
/** What does not depend on the link takes no part of the deadline. */
const UNAFFECTED_WITHIN_MS = 5_000;
/** Timers and clocks differ by so much. */
const CLOCK_SLACK_MS = 20;
const BETWEEN_ROUNDS_MS = 100;

const ADMITTED: readonly LinkName[] = ["gateway to keys", "keys to postgres"];
const LEDGER: readonly LinkName[] = ["gateway to ledger", "ledger to postgres"];
const WEBHOOKS: readonly LinkName[] = [
  "gateway to webhook-dispatcher",
  "webhook-dispatcher to postgres",
];
const EXPORTS: readonly LinkName[] = ["gateway to export", "export to postgres"];
const ALL_POSITIONS: readonly LinkName[] = [
  "webhook-dispatcher to ledger",
  "ledger to postgres",
  "webhook-dispatcher to export",
  "export to postgres",
];

/** `quiet` is of an account without events: its webhooks get nothing. */
export function probesOf(client: HttpClient, quiet: HttpClient): readonly Probe[] {
  const anonymous = client.as(undefined);
  const needing = (...more: readonly LinkName[][]) => [...ADMITTED, ...more.flat()];
  const webhook = { url: "https://receiver.invalid/", events: ["*"] };
  return [
    probe("GET /openapi.json", [], 200, () => anonymous.get("/openapi.json")),
    probe("a request without a key", [], 401, () => anonymous.get("/v1/events")),
    probe("GET /api-keys", needing(), 200, () => client.get("/v1/api-keys")),
    probe("POST /events", needing([...LEDGER]), 201, () =>
      client.post("/v1/events", { action: "a" }),
    ),
    probe("GET /events", needing([...LEDGER]), 200, () => client.get("/v1/events?limit=1")),
    probe("GET /webhooks", needing([...WEBHOOKS]), 200, () => client.get("/v1/webhooks")),
    probe("POST /webhooks", needing([...WEBHOOKS], [...ALL_POSITIONS]), 201, () =>
      quiet.post("/v1/webhooks", webhook),
    ),
    probe("GET /exports", needing([...EXPORTS]), 200, () => client.get("/v1/exports?limit=1")),
    probe(
      "POST /exports",
      needing([...EXPORTS], ["export to ledger", "ledger to postgres"]),
      201,
      () => client.post("/v1/exports", {}),
    ),
  ];
}

function probe(name: string, needs: readonly LinkName[], status: number, ask: Probe["ask"]): Probe {
  return { name, needs, status, ask };
}

interface Asked {
  readonly answer: Answer | undefined;
  readonly tookMs: number;
}

/** An answer counts as none when the deadline and its grace are over. */
export async function askOnce(
  { ask }: Pick<Probe, "ask">,
  withinMs = DEADLINE_MS + GRACE_MS,
): Promise<Asked> {
  const started = performance.now();
  const abandon = new AbortController();
  const late = pause(withinMs, undefined, { signal: abandon.signal });
  const answer = await Promise.race([
    ask().catch(() => undefined),
    late.then(
      () => undefined,
      () => undefined,
    ),
  ]);
  abandon.abort();
  return { answer, tookMs: performance.now() - started };
}

/** Asks all probes at the same time, again and again for `forMs`, and resolves to sentences. */
export async function faultsWhile(
  fault: Fault,
  link: LinkName,
  probes: readonly Probe[],
  forMs: number,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const until = performance.now() + forMs;
  do {
    const round = probes.map(async (one) => {
      const wrong = faultOf(fault, one, one.needs.includes(link), await askOnce(one));
      if (wrong !== undefined) faults.push(`${one.name}: ${wrong}`);
    });
    await Promise.all(round);
    await pause(BETWEEN_ROUNDS_MS);
  } while (performance.now() < until && faults.length === 0);
  return faults;
}

function faultOf(
  fault: Fault,
  { status }: Probe,
  isAffected: boolean,
  { answer, tookMs }: Asked,
): string | undefined {
  if (answer === undefined) return `no answer after ${Math.round(tookMs)} ms`;
  const seen = `${answer.status} after ${Math.round(tookMs)} ms: ${answer.text.slice(0, 200)}`;
  if (isAffected && fault !== "slowed")
    return refusalFault(answer) && `${refusalFault(answer)}: ${seen}`;
  if (answer.status !== status) return `is refused, and ought to be served: ${seen}`;
  if (isAffected) {
    return tookMs < SLOWED_BY_MS - CLOCK_SLACK_MS
      ? `did not feel the slow link: ${seen}`
      : undefined;
  }
  return tookMs > UNAFFECTED_WITHIN_MS
    ? `waited for a link that it does not need: ${seen}`
    : undefined;
}

function refusalFault({ status, headers, body }: Answer): string | undefined {
  if (status !== 500 || body?.error?.type !== "server_error") return "is no refusal";
  if (Object.keys(body).join() !== "error") return "has not the error shape";
  if (typeof body.error.message !== "string") return "has no message";
  if (!(Number(headers["retry-after"]) > 0)) return "has no Retry-After";
  if (!(Number(headers["x-ratelimit-limit"]) > 0)) return "has no rate-limit headers";
  return undefined;
}

/**
 * Asks all probes until each was served, and resolves to the milliseconds that the slowest took, counted
 * from now. Rejects with what is not well after `withinMs`.
 */
export async function allServed(probes: readonly Probe[], withinMs: number): Promise<number> {
  const started = performance.now();
  const served = probes.map(async (one) => {
    for (;;) {
      const { answer } = await askOnce(one);
      const tookMs = performance.now() - started;
      if (answer?.status === one.status && tookMs <= withinMs) return tookMs;
      if (tookMs > withinMs) {
        const last = answer ? `${answer.status} ${answer.text.slice(0, 200)}` : "no answer";
        throw new Error(`${one.name} is not served ${withinMs} ms after: ${last}`);
      }
      await pause(BETWEEN_ROUNDS_MS);
    }
  });
  return Math.max(...(await Promise.all(served)));
}
