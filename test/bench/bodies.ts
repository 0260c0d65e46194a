// The events that the benchmark sends: a small one of about 460 bytes, and the CloudTrail records
// of the example, 1.3 kB each.

import { mapRecord } from "../example/cloudtrail/map-record.ts";
import { readSample } from "../example/cloudtrail/record.ts";

/** Different actors, targets and actions of the small events. */
const ACTORS = 1_000;
const TARGETS = 1_000;
const VERBS = ["create", "update", "delete", "view", "share"];
const NOUNS = ["invoice", "order", "report", "user"];

/** A small event as a client sends it. The same `index` always gives the same event. */
export function smallEvent(index: number) {
  const noun = NOUNS[Math.floor(index / VERBS.length) % NOUNS.length];
  return {
    action: `${noun}.${VERBS[index % VERBS.length]}`,
    actor: {
      id: `user_${(index * 7_919) % ACTORS}`,
      type: index % 10 === 0 ? "service" : "user",
      meta: { email: "ada@example.com", role: "editor" },
    },
    target: {
      id: `${noun}_${(index * 104_729) % TARGETS}`,
      type: `${noun}`,
      meta: { title: "Third quarter" },
    },
    context: { ip: "203.0.113.42", user_agent: "Mozilla/5.0 (X11; Linux x86_64)", region: "eu-1" },
    diff: { before: { status: "draft", total: 1200 }, after: { status: "sent", total: 1250.5 } },
    metadata: { request_id: `req_${index}`, tags: ["billing", "manual"] },
  };
}

/** Different small events in rotation. */
const SMALL_BODIES = 500;

export function smallEvents(): object[] {
  return Array.from({ length: SMALL_BODIES }, (_, index) => smallEvent(index));
}

export async function cloudTrailEvents(): Promise<object[]> {
  return (await readSample()).map(mapRecord);
}

/** Average size of the events as JSON text, in bytes. */
export function averageBytes(events: readonly object[]): number {
  const sum = events.reduce((all, event) => all + Buffer.byteLength(JSON.stringify(event)), 0);
  return Math.round(sum / events.length);
}

/** The events as bodies of single requests, or of batches of `size`. */
export function singles(events: readonly object[]): string[] {
  return events.map((event) => JSON.stringify(event));
}

export function batches(events: readonly object[], size: number): string[] {
  const bodies: string[] = [];
  for (let at = 0; at + size <= events.length; at += size) {
    bodies.push(JSON.stringify({ events: events.slice(at, at + size) }));
  }
  return bodies;
}
