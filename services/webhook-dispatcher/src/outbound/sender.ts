// Sends deliveries over HTTPS: it has the connection pool, the trusted certificate authorities, and the
// headers of every attempt. Called by attempts.ts. It is the only part of the system that connects to hosts
// that users name.

import { CLIENT, failSpan, type Span, startSpan, traceparent } from "@annals/chassis";
import type { Clock } from "@annals/contract";
import { createSecureContext, getCACertificates } from "node:tls";
import { serviceSignature, standardSignature } from "../domain/signing-secret.ts";
import type { AddressGuard } from "./address-guard.ts";
import { CountingAgent } from "./counting-agent.ts";
import { type AttemptResult, Exchange } from "./exchange.ts";

export interface SenderOptions {
  readonly guard: AddressGuard;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Certificate authorities (PEM) that are trusted besides the default ones. */
  readonly extraAuthorities: string | undefined;
  /** Whether receivers are told which trace a delivery belongs to. */
  readonly sendsTraceparent?: boolean;
}

export interface Message {
  readonly accountId: string;
  readonly url: string;
  /** Signing secret as users have it, with `whsec_`. */
  readonly secret: string;
  /** Set during the grace period of a rotation: receivers may know either secret. */
  readonly previousSecret?: string | undefined;
  readonly payloadId: string;
  readonly body: Uint8Array;
}

const USER_AGENT = "Annals-Webhooks/1.0";

/** Idle connections to one host, and for how long: less than the 5 s after which many servers close them. */
const MAX_IDLE_PER_HOST = 20;
const MAX_IDLE_MS = 4_000;

export class Sender {
  readonly #options: SenderOptions;
  readonly #agent: CountingAgent;
  readonly #freshAgent: CountingAgent;
  readonly #abandoning = new AbortController();

  constructor(options: SenderOptions) {
    this.#options = options;
    const { extraAuthorities } = options;
    // Made once: parsing a hundred certificates for each connection would cost more than the delivery.
    const secureContext = createSecureContext({
      ...(extraAuthorities !== undefined && {
        ca: [...getCACertificates("default"), extraAuthorities],
      }),
    });
    this.#agent = new CountingAgent({
      keepAlive: true,
      maxFreeSockets: MAX_IDLE_PER_HOST,
      timeout: MAX_IDLE_MS,
      scheduling: "lifo",
      secureContext,
    });
    this.#freshAgent = new CountingAgent({ keepAlive: false, secureContext });
  }

  /** Makes one attempt. Never rejects. */
  async send(message: Message): Promise<AttemptResult> {
    const url = new URL(message.url);
    const span = startSpan("POST", {
      kind: CLIENT,
      // The rest of the URL is left out: its path or query may hold a secret.
      attributes: { "http.request.method": "POST", "server.address": url.hostname },
    });
    const result = await this.#exchange(message, span).run();
    const { outcome, statusCode } = result;
    if (statusCode !== null) span?.setAttribute("http.response.status_code", statusCode);
    if (span && outcome !== "success") failSpan(span, outcome);
    span?.end();
    return result;
  }

  #exchange(
    { accountId, url, secret, previousSecret, payloadId, body }: Message,
    span: Span | undefined,
  ): Exchange {
    const { guard, clock, sendsTraceparent, timeoutMs } = this.#options;
    const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
    const timestampS = Math.floor(clock.nowMicros() / 1_000_000);
    return new Exchange(
      {
        guard,
        agent: this.#agent,
        freshAgent: this.#freshAgent,
        timeoutMs,
        signal: this.#abandoning.signal,
      },
      {
        accountId,
        url: new URL(url),
        headers: {
          "content-type": "application/json",
          "user-agent": USER_AGENT,
          "accept-encoding": "identity",
          // The header has only one value. A receiver that does not know the new secret yet must keep
          // working.
          "x-service-signature": serviceSignature(previousSecret ?? secret, body),
          "webhook-id": payloadId,
          "webhook-timestamp": timestampS,
          "webhook-signature": secrets
            .map((one) => standardSignature(one, payloadId, timestampS, body))
            .join(" "),
          ...(span && sendsTraceparent && { traceparent: traceparent(span) }),
        },
        body,
      },
    );
  }

  /** Ends every attempt in flight. An attempt without a response counts as not made. */
  abandon(): void {
    this.#abandoning.abort();
  }

  close(): void {
    this.abandon();
    this.#agent.destroy();
    this.#freshAgent.destroy();
  }
}
