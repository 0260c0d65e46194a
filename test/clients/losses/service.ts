// The server of the comparison: takes the events of any client, and fails as a case says. Called by main.ts.
// It counts an event once for each key under which it would be stored.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/** What a request gets. The events are stored if the status is below 300, or the answer is cut. */
export type Reply =
  | "cut"
  | { readonly status: number; readonly retryAfter?: number; readonly bad?: number };

export interface Asked {
  /** Requests so far, this one included, and the time since the first one. */
  readonly count: number;
  readonly sinceMs: number;
  readonly markers: readonly number[];
}

export type Failing = (asked: Asked) => Reply | Promise<Reply>;

export interface Service {
  readonly url: string;
  failing: Failing;
  /** Different events that are stored, and how often one was stored again. */
  stored(): { events: number; again: number; markers: ReadonlySet<number> };
  close(): void;
}

interface Sent {
  readonly messageId?: string;
  readonly uuid?: string;
}

export async function startService(failing: Failing): Promise<Service> {
  const stored = new Map<number, Set<string>>();
  let count = 0;
  let began = 0;
  const store = (events: readonly Sent[], key: string | undefined) => {
    for (const event of events) {
      const marker = markerOf(event);
      const keys = stored.get(marker) ?? new Set();
      stored.set(marker, keys.add(key ?? event.messageId ?? event.uuid ?? `${count}`));
    }
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    const answer = async () => {
      const events = eventsOf(Buffer.concat(chunks));
      const isAnnals = request.url?.startsWith("/v1/events") === true;
      if (request.url?.startsWith("/v1/usage"))
        return void response.end('{"data":{"account_id":"acct_a"}}');
      count += 1;
      began ||= Date.now();
      const asked = { count, sinceMs: Date.now() - began, markers: events.map(markerOf) };
      const reply = await service.failing(asked);
      const key = request.headers["idempotency-key"]?.toString();
      if (reply === "cut" || reply.status < 300) store(events, key);
      if (reply === "cut") return void response.destroy();
      const { bad, retryAfter, status } = reply;
      const headers = { ...(retryAfter !== undefined && { "retry-after": `${retryAfter}` }) };
      const shown = isAnnals && status === 400 ? 422 : status;
      response.writeHead(shown, { "content-type": "application/json", ...headers });
      response.end(status < 300 ? '{"data":[],"status":1,"success":true}' : refusal(status, bad));
      return undefined;
    };
    request.on("end", () => void answer());
    const refusal = (status: number, bad?: number) => {
      const type = { 429: "rate_limit_exceeded", 400: "validation_error" }[status];
      const details = bad === undefined ? [] : [{ field: `events[${bad}]`, message: "bad" }];
      return JSON.stringify({ error: { type: type ?? "server_error", message: "m", details } });
    };
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const service: Service = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failing,
    stored: () => ({
      events: stored.size,
      again: [...stored.values()].reduce((sum, keys) => sum + keys.size - 1, 0),
      markers: new Set(stored.keys()),
    }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return service;
}

/** The events of a body: a batch of one name or another, or a single one. */
function eventsOf(sent: Buffer): readonly Sent[] {
  const isCompressed = sent[0] === 0x1f && sent[1] === 0x8b;
  const text = (isCompressed ? gunzipSync(sent) : sent).toString();
  const body = text === "" ? {} : JSON.parse(text);
  return body.batch ?? body.events ?? [body];
}

/** Its number, wherever a client puts what it is given; 0 for what is not one of the comparison. */
function markerOf(event: Sent): number {
  return Number(/"marker":(\d+)/.exec(JSON.stringify(event))?.[1] ?? 0);
}
