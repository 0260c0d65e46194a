// The filter index in tests: events with values worth filtering, and its worker, step by step. Imported by
// tests only.

import type { Pool } from "@annals/postgres";
import { DELAY_MS, FilterIndex } from "../workers/filter-index.ts";
import type { TestLedger } from "./test-ledger.ts";

const MAX_EVENTS = 1_000;
const TIME = "2026-05-10T11:59:59.000000Z";

/** What a client sends of an event, as far as lists can filter by it. */
export interface Sent {
  readonly action: string;
  readonly occurredAt: string;
  readonly actorId?: string;
  readonly actorType?: string;
  readonly targetId?: string;
  readonly targetType?: string;
}

/** Appends events in batches as large as may be. */
export async function appendAll(
  { client }: TestLedger,
  accountId: string,
  sent: readonly Sent[],
): Promise<void> {
  for (let at = 0; at < sent.length; at += MAX_EVENTS) {
    const events = sent.slice(at, at + MAX_EVENTS).map(eventOf);
    const append = { accountId, receivedAt: TIME, requestSha256: new Uint8Array(32), events };
    const { outcomes } = await client.createEvents({ appends: [append] });
    if (outcomes[0]?.outcome.case !== "stored") throw new Error("not stored");
  }
}

function eventOf({ action, occurredAt, actorId, actorType, targetId, targetType }: Sent) {
  // Without members that are undefined, in the order of canonical JSON.
  const part = (id?: string, type?: string) => Buffer.from(JSON.stringify({ id, type }));
  return {
    action,
    occurredAt,
    actor: part(actorId, actorType),
    target: part(targetId, targetType),
    ...(actorId !== undefined && { actorId: Buffer.from(actorId) }),
    ...(actorType !== undefined && { actorType: Buffer.from(actorType) }),
    ...(targetId !== undefined && { targetId: Buffer.from(targetId) }),
    ...(targetType !== undefined && { targetType: Buffer.from(targetType) }),
  };
}

/** `second` seconds after the beginning of 2026. */
export function timeOf(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString().replace("Z", "000Z");
}

/** Indexes every complete chunk. Resolves to the lag that was reported last. */
export async function indexAll(database: Pool): Promise<number> {
  let reported = 0;
  const lag = (events: number) => void (reported = events);
  const index = new FilterIndex({ database, isPaused: false, lag });
  while ((await index.run(new AbortController().signal)) < DELAY_MS);
  return reported;
}
