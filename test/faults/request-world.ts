// What the cases of request-cases.ts send to: a system with accounts that have a long chain, large events, a
// chain that is exported and replayed, and nothing. Started once by request-cost.test.ts.

import {
  type Answer,
  eventually,
  type HttpClient,
  ownerOf,
  type Subscriber,
} from "@annals/testing";
import { rm } from "node:fs/promises";
import { expect } from "vitest";
import { append } from "../system/covered.ts";
import { writeIdentityFile } from "../system/identity-file.ts";
import { startWebhookSystem } from "../system/webhook-constellation.ts";
import { loadSearchedChain } from "./searched-chain.ts";

export type Client = HttpClient & { readonly accountId: string; readonly key: string };
type System = Awaited<ReturnType<typeof startWebhookSystem>>;

const LARGE_EVENTS = 100;
/** Near the limit of an event, 64 KiB. */
const LARGE_TEXT = "x".repeat(63_000);
const BATCH = 25;

export interface CostWorld {
  readonly system: System;
  /** Looks into the database: a request that asks whether work has ended would count, too. */
  readonly owner: ReturnType<typeof ownerOf>;
  readonly receiver: Subscriber;
  /** The account with a chain of `events`, which searched-chain.ts makes, and with two declared fields. */
  readonly searched: Client;
  readonly events: number;
  /** The account with {@link LARGE_EVENTS} of nearly 64 KiB. */
  readonly large: Client;
  /** The account with `workEvents`, which one export or replay is about. */
  readonly worked: Client;
  readonly workEvents: number;
  readonly fresh: Client;
  readonly stop: () => Promise<void>;
}

/** Declares fields of the searched chain, and waits until the index has them. */
async function declare(searched: Client): Promise<void> {
  const fields = [
    { path: "metadata.request_id", name: "request", type: "string" },
    { path: "context.region", name: "region", type: "string" },
  ];
  for (const field of fields) await made(searched.post("/v1/search/fields", field));
  await eventually("the index has the declared fields", async () => {
    const { body } = await searched.get("/v1/search/fields");
    return body.data.every(({ status }: { readonly status: string }) => status === "ready");
  });
}

export type Send = () => Promise<Answer>;

export interface CostCase {
  /** Method and path, as v1.ts has them. */
  readonly route: string;
  readonly what: string;
  /**
   * Milliseconds of CPU of all services together, PostgreSQL included, in the full form: some three times
   * what it costs on a quiet machine, because the same work costs up to twice as much on a busy one.
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

/** What a form has: the events of the account that is searched, and of the one whose events are worked on. */
export interface Sizes {
  readonly events: number;
  readonly workEvents: number;
}

export async function startWorld({ events, workEvents }: Sizes): Promise<CostWorld> {
  const identity = await writeIdentityFile();
  const env = { ...identity.env, ledger: { ANNALS_LOG_EPOCH_S: "1" } };
  const system = await startWebhookSystem({}, {}, env);
  const owner = ownerOf(system.stack.databaseUrl);
  const stop = async () => {
    await owner.close();
    await system.stop();
    await rm(identity.directory, { recursive: true });
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
    await append(worked, workEvents);
    await declare(searched);
    const receiver = await system.subscriber();
    const accounts = { searched, large, worked, fresh };
    return { system, owner, receiver, ...accounts, events, workEvents, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The answer, which has this status: work that was refused never ends. */
export async function answered(answer: ReturnType<HttpClient["get"]>, status = 201) {
  const got = await answer;
  if (got.status !== status) throw new Error(`${got.status}: ${got.text.slice(0, 300)}`);
  return got;
}

/** What a request made. Throws unless it has this status. */
export async function made(
  answer: ReturnType<HttpClient["get"]>,
  status = 201,
  // oxlint-disable-next-line typescript/no-explicit-any -- cases look into it freely
): Promise<any> {
  const { body } = await answered(answer, status);
  return body?.data ?? body;
}
