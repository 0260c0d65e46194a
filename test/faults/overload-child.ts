// The process that offers events at a rate of its own, whatever becomes of them, and remembers each answer.
// Forked by overload-load.ts. It must never wait for an answer before it sends what is due.

import { setTimeout as pause } from "node:timers/promises";
import { HttpConnection, type Received } from "../bench/http-connection.ts";
import type { Offer, Offered, Taken } from "./overload-load.ts";

/** Connections are opened, and used once, so many at a time before anything is offered. */
const OPENED_AT_A_TIME = 64;
/** How often what is due is sent. */
const TICK_MS = 5;
/** Answers that are waited for after the last request was sent. */
const LAST_ANSWER_WITHIN_MS = 30_000;

process.once("message", (offer: Offer) => {
  void new Offering(offer).run().then((offered) => process.send?.(offered));
});

class Offering {
  readonly #offer: Offer;
  readonly #idle: HttpConnection[] = [];
  readonly #taken: Taken[] = [];
  #open = 0;
  #heldBack = 0;

  constructor(offer: Offer) {
    this.#offer = offer;
  }

  async run(): Promise<Offered> {
    const { perSecond, forMs } = this.#offer;
    await this.#connect();
    const started = performance.now();
    for (let n = 0; ;) {
      const now = performance.now();
      const due = Math.floor((Math.min(now - started, forMs) * perSecond) / 1_000);
      for (; n < due; n += 1) this.#send(n);
      if (now - started >= forMs) break;
      await pause(TICK_MS);
    }
    const sentForMs = performance.now() - started;
    const until = performance.now() + LAST_ANSWER_WITHIN_MS;
    while (this.#open > 0 && performance.now() < until) await pause(TICK_MS);
    for (const connection of this.#idle) connection.close();
    return { taken: this.#taken, heldBack: this.#heldBack, sentForMs };
  }

  async #connect(): Promise<void> {
    const { host, hostname, port } = new URL(this.#offer.baseUrl);
    let left = this.#offer.connections;
    const first = Buffer.from(`GET / HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    const connect = async (): Promise<void> => {
      for (; left > 0;) {
        left -= 1;
        const connection = await HttpConnection.open(hostname, Number(port));
        // The kernel opens a connection before the gateway has accepted it, which under load takes seconds.
        await connection.exchange(first);
        this.#idle.push(connection);
      }
    };
    await Promise.all(Array.from({ length: OPENED_AT_A_TIME }, connect));
  }

  #send(n: number): void {
    const connection = this.#idle.shift();
    if (connection === undefined) {
      this.#heldBack += 1;
      return;
    }
    this.#open += 1;
    void this.#exchange(n, connection).finally(() => (this.#open -= 1));
  }

  async #exchange(n: number, connection: HttpConnection): Promise<void> {
    const sentAt = performance.now();
    try {
      const received = await connection.exchange(this.#requestOf(n));
      this.#idle.push(connection);
      this.#taken.push({ n, tookMs: performance.now() - sentAt, ...whatCame(received) });
    } catch (error) {
      const unanswered = error instanceof Error ? error.message : String(error);
      this.#taken.push({ n, tookMs: performance.now() - sentAt, unanswered });
    }
  }

  #requestOf(n: number): Buffer {
    const { baseUrl, key, mark } = this.#offer;
    const body = JSON.stringify({
      action: "faults.append",
      actor: { id: `writer ${n}`, type: "service" },
      metadata: { marker: `${mark}-${n}` },
    });
    const lines = [
      "POST /v1/events HTTP/1.1",
      `host: ${new URL(baseUrl).host}`,
      `authorization: Bearer ${key}`,
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
  }
}

/**
 * Refusals have few different texts: each is parsed once, since parsing takes CPU time from the measurement.
 */
const readRefusals = new Map<string, Taken["refused"]>();
const STORED =
  /"id":"(evt_[^"]+)","sequence_number":(\d+),.*"hash":"(\w+)","previous_hash":"(\w+)"/;

function whatCame({ status, text }: Received): Pick<Taken, "stored" | "refused"> {
  const answer = text();
  if (status === 201) {
    const [, id = "", sequence = "", hash = "", previousHash = ""] = STORED.exec(answer) ?? [];
    return { stored: { id, sequence: Number(sequence), hash, previousHash, isReplay: false } };
  }
  const bodyAt = answer.indexOf("\r\n\r\n");
  const body = answer.slice(bodyAt);
  const known = readRefusals.get(body);
  if (known) return { refused: known };
  const retryAfter = /^retry-after: *(\S+)/im.exec(answer.slice(0, bodyAt))?.[1];
  const refused = { status, retryAfter, body: JSON.parse(body) };
  readRefusals.set(body, refused);
  return { refused };
}
