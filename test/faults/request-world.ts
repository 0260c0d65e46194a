// What the cases of request-cases.ts send to: a system with accounts that have a long chain, large events, a
// chain that is exported and replayed, and nothing. Started once by request-cost.test.ts.

import { type Answer, type HttpClient, ownerOf, type Subscriber } from "@annals/testing";
import { expect } from "vitest";
import { append } from "../system/covered.ts";
import { startWebhookSystem } from "../system/webhook-constellation.ts";
import { loadSearchedChain } from "./searched-chain.ts";

export type Client = HttpClient & { readonly accountId: string; readonly key: string };
type System = Awaited<ReturnType<typeof startWebhookSystem>>;

const LARGE_EVENTS = 100;
/** Near the limit of an event, 64 KiB. */
const LARGE_TEXT = "x".repeat(63_000);
const BATCH = 25;

/** Events that one export, replay or erasure is about. */
export const WORK_EVENTS = 10_000;

export interface CostWorld {
  readonly system: System;
  readonly owner: ReturnType<typeof ownerOf>;
  readonly receiver: Subscriber;
  /** The account with a chain of `events`, which searched-chain.ts makes. */
  readonly searched: Client;
  readonly events: number;
  /** The account with {@link LARGE_EVENTS} of nearly 64 KiB. */
  readonly large: Client;
  /** The account with {@link WORK_EVENTS}. */
  readonly worked: Client;
  readonly fresh: Client;
  readonly stop: () => Promise<void>;
}

export type Send = () => Promise<Answer>;

export interface CostCase {
  /** Method and path, as v1.ts has them. */
  readonly route: string;
  readonly what: string;
  /**
   * Milliseconds of CPU of all services together, PostgreSQL included, in the full form: some three times
   * what it costs, since an average has the background work of the services, too.
   */
  readonly maxMs: number;
  /** Whether its answer is an empty page, and not the last one. */
  readonly isEmpty?: true;
  /** By default 200. */
  readonly status?: number;
  /** How often it is measured, without a warm-up, where that is less than for others. */
  readonly calls?: number;
  readonly make: (world: CostWorld) => Send | Promise<Send>;
}

export async function startWorld(events: number): Promise<CostWorld> {
  const system = await startWebhookSystem({}, {}, { ledger: { ANNALS_LOG_EPOCH_S: "1" } });
  const owner = ownerOf(system.stack.databaseUrl);
  const stop = async () => {
    await owner.close();
    await system.stop();
  };
  try {
    const [searched, large, worked, fresh] = await Promise.all(
      Array.from({ length: 4 }, () => system.client()),
    );
    if (!searched || !large || !worked || !fresh) throw new Error("an account is missing");
    await loadSearchedChain(system.stack.databaseUrl, searched.accountId, events);
    const event = { action: "large", metadata: { text: LARGE_TEXT } };
    for (let at = 0; at < LARGE_EVENTS; at += BATCH) {
      const batch = { events: Array.from({ length: BATCH }, () => event) };
      expect((await large.post("/v1/events/batch", batch)).status).toBe(201);
    }
    await append(worked, WORK_EVENTS);
    const receiver = await system.subscriber();
    return { system, owner, receiver, searched, events, large, worked, fresh, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What a request made. Throws unless it has this status. */
export async function made(
  answer: ReturnType<HttpClient["get"]>,
  status = 201,
  // oxlint-disable-next-line typescript/no-explicit-any -- cases look into it freely
): Promise<any> {
  const { body, status: got, text } = await answer;
  if (got !== status) throw new Error(`${got}: ${text.slice(0, 300)}`);
  return body?.data ?? body;
}
