// The HTTP requests of sinks: each with the address guard, the bounds and the deadline of exchange.ts, and
// what went wrong as a sentence for the owner of the sink. Called by the receivers that speak HTTP. An error
// must never hold a secret that was sent, nor tell which private names exist.

import type { Logger } from "@annals/chassis";
import type { Clock } from "@annals/contract";
import { validateHeaderName, validateHeaderValue } from "node:http";
import type { SecureContext } from "node:tls";
import type { AddressGuard } from "../../outbound/address-guard.ts";
import { Connections } from "../../outbound/connections.ts";
import { FINAL_STATUSES, type Refusal, TOO_LARGE } from "../rules/sink-refusals.ts";
import { type AttemptResult, Exchange } from "../../outbound/exchange.ts";
import { failureSentence } from "./failure-sentence.ts";
import { Redactor, secretsOfHeaders, secretsOfUrl } from "./redactor.ts";
import { retryAfterS } from "./retry-after.ts";
import type { SinkResult } from "./sink-receiver.ts";

export interface SinkDeps {
  readonly clock: Clock;
  readonly guard: AddressGuard;
  readonly log: Logger;
  /** Trusted by all receivers: connections.ts makes it once. */
  readonly secureContext: SecureContext;
  /** Time of a batch, whatever its receiver does. By default {@link BATCH_TIMEOUT_MS}. */
  readonly timeoutMs?: number;
}

export interface SinkRequest {
  readonly accountId: string;
  readonly method?: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Maximum bytes of the body that are read; {@link MAX_BODY_BYTES} by default. */
  readonly maxResponseBytes?: number;
}

/** The time of one batch, shared by all of its requests. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** On the monotonic clock, in milliseconds. */
  readonly until: number;
}

export const BATCH_TIMEOUT_MS = 30_000;
/** Bytes that are read of a response, if nothing of it but its reason is of interest. */
const MAX_BODY_BYTES = 64 * 1024;
/** Characters of a response that the owner of the sink is shown. */
const MAX_SHOWN = 200;
const USER_AGENT = "Annals-Sinks/1.0";

/** Headers that say how a message is sent: they are ours, or a connection would be out of step. */
const OWN_HEADERS = new Set([
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export class SinkHttp {
  readonly #deps: SinkDeps;
  readonly #connections: Connections;
  readonly #redactor: Redactor;
  readonly #headers: Readonly<Record<string, string>>;

  /** Takes the headers of the sink, which are secret, and its other secrets. */
  constructor(
    deps: SinkDeps,
    url: URL,
    headers: Readonly<Record<string, string>>,
    secrets: readonly string[] = [],
  ) {
    this.#deps = deps;
    this.#connections = new Connections(deps.secureContext);
    const ofRequest = [...secretsOfHeaders(headers), ...secretsOfUrl(url)];
    this.#redactor = new Redactor([...ofRequest, ...secrets]);
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    this.#headers = Object.fromEntries(lower.filter(([name]) => !OWN_HEADERS.has(name ?? "")));
  }

  deadline(signal: AbortSignal): Deadline {
    const { timeoutMs = BATCH_TIMEOUT_MS } = this.#deps;
    return { signal, until: performance.now() + timeoutMs };
  }

  /** Makes one request, with the headers of the sink. Rejects only if one of them is invalid. */
  request(
    { headers, maxResponseBytes = MAX_BODY_BYTES, ...request }: SinkRequest,
    { signal, until }: Deadline,
  ): Promise<AttemptResult> {
    const all = {
      "user-agent": USER_AGENT,
      "accept-encoding": "identity",
      ...headers,
      ...this.#headers,
    };
    for (const [name, value] of Object.entries(all)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    const { agent, freshAgent } = this.#connections;
    const timeoutMs = Math.max(1, until - performance.now());
    const options = { agent, freshAgent, guard: this.#deps.guard, signal, timeoutMs };
    const capture = { maxBytes: maxResponseBytes };
    return new Exchange(options, { ...request, headers: all, capture }).run();
  }

  /** The result of a request that failed. */
  failure(attempt: AttemptResult): SinkResult {
    const { outcome, statusCode, errorCode, response } = attempt;
    if (outcome === "success") throw new Error("the request has succeeded");
    const waitS = retryAfterS(
      statusCode,
      response?.headers["retry-after"],
      this.#deps.clock.nowMicros() / 1_000,
    );
    const { timeoutMs = BATCH_TIMEOUT_MS } = this.#deps;
    const error =
      outcome === "refused"
        ? this.#refusal(attempt)
        : failureSentence(outcome, { errorCode, timeoutMs });
    return {
      outcome,
      error,
      ...(statusCode !== null && { statusCode }),
      ...(FINAL_STATUSES.has(statusCode) && { refusal: refusalOf(statusCode, error) }),
      ...(waitS !== undefined && { retryAfterS: waitS }),
    };
  }

  /** The result of a response whose status is a success, but not its text. */
  refused(statusCode: number | null, reason: string, refusal?: Omit<Refusal, "kind">): SinkResult {
    const error = `${this.visible(reason)}.`;
    return {
      outcome: "refused",
      error,
      ...(statusCode !== null && { statusCode }),
      ...(refusal && { refusal: this.ofRecord(refusal) }),
    };
  }

  /** The refusal of a record, as its owner is shown it. */
  ofRecord({ reason, ...refusal }: Omit<Refusal, "kind">): Refusal {
    return { ...refusal, kind: "record", reason: this.visible(reason) };
  }

  /** The result of a response that does not say whether the batch is stored. */
  unreadable(statusCode: number | null): SinkResult {
    const error = "The response does not say whether the records are stored.";
    return { outcome: "invalid_response", error, ...(statusCode !== null && { statusCode }) };
  }

  /** Cuts a text, and removes the secrets of the sink from it. */
  visible(text: string): string {
    return this.#redactor.visible(text, MAX_SHOWN);
  }

  close(): void {
    this.#connections.close();
  }

  #refusal({ statusCode, response }: AttemptResult): string {
    const text = this.visible(response?.body.toString("utf8") ?? "");
    return `The receiver responded with status ${statusCode}${text === "" ? "." : `: ${text}`}`;
  }
}

function refusalOf(status: number | null, reason: string): Refusal {
  return { kind: status === TOO_LARGE ? "size" : "record", status, reason };
}
