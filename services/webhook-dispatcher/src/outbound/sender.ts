// Sends deliveries over HTTPS: it has the connection pool, the trusted certificate authorities, and the
// headers of every attempt. Called by attempts.ts. It is the only part of the system that connects to hosts
// that users name.

import {
  CLIENT,
  failSpan,
  type Span,
  startSpan,
  traceparent,
  trustedContext,
} from "@annals/chassis";
import type { Clock } from "@annals/contract";
import { serviceSignature, standardSignature } from "../webhooks/rules/signing-secret.ts";
import type { AddressGuard } from "./address-guard.ts";
import { Connections } from "./connections.ts";
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

export class Sender {
  readonly #options: SenderOptions;
  readonly #connections: Connections;
  readonly #abandoning = new AbortController();

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#connections = new Connections(trustedContext(options.extraAuthorities));
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
        agent: this.#connections.agent,
        freshAgent: this.#connections.freshAgent,
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
    this.#connections.close();
  }
}
