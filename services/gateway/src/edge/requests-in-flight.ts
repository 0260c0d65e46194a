// Bounds what the requests of this process hold: slots, bytes, downloads, lists, verifications. Called by
// serve.ts, the hooks of app.ts and register-routes.ts. A request belongs to its client's address until it
// is authenticated, then to its account. Whatever it holds is released once, when its answer was sent, when
// its client has disconnected, or when the client is too slow. It must never count a request after that.

import { AnnalsError, unavailable } from "@annals/errors";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { errorAnswer } from "../errors.ts";
import type { Metrics, Resource } from "../metrics.ts";
import type { AccessLog } from "./access-log.ts";
import { type EarlyAnswers, hasUnreadBody } from "./early-answer.ts";
import { Shares, type SharesOptions } from "./shares.ts";
import { Transfer, type TransferLimits } from "./transfer-rate.ts";

export interface InFlightOptions {
  readonly shares: Readonly<Record<Resource, SharesOptions>>;
  readonly transfers: TransferLimits;
  readonly addressOf: (request: IncomingMessage) => string;
  readonly earlyAnswers: EarlyAnswers;
  /** Shown in the rate-limit headers: the request is not authenticated yet. */
  readonly limit: number;
  readonly newRequestId: () => string;
  readonly metrics: Pick<Metrics, "onRefused" | "refused">;
  readonly accessLog: Pick<AccessLog, "record">;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly address: string;
  readonly transfer: Transfer;
  /** Whose slot it has; undefined when it has none. */
  holder: string | undefined;
  isReading: boolean;
  releases: (() => void)[];
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const MESSAGES: Readonly<Record<Resource, string>> = {
  requests: "This account has as many requests in flight as it may have. Try again.",
  bytes: "The requests in flight of this account are too large together. Try again.",
  downloads: "This account has as many downloads in progress as it may have. Try again.",
  lists: "This account has as many lists in progress as it may have. Try again.",
  verifications: "This account has as many verifications in progress as it may have. Try again.",
};

/** Requests of one connection that were not answered yet. */
const MAX_PIPELINE = 32;

/** How often slow clients are looked for. */
const SWEEP_INTERVAL_MS = 250;
/** A sweep that comes so late finds transfers that had to wait for this process. */
const MAX_SWEEP_LATE_MS = 1_000;

export class RequestsInFlight {
  readonly #options: InFlightOptions;
  readonly #shares: Readonly<Record<Resource, Shares>>;
  readonly #open = new Map<IncomingMessage, Exchange>();
  readonly #pipelines = new WeakMap<Socket, number>();
  #server: Server | undefined;
  #sweptAt = performance.now();

  constructor(options: InFlightOptions) {
    const { shares } = options;
    this.#options = options;
    this.#shares = {
      requests: new Shares(shares.requests),
      bytes: new Shares(shares.bytes),
      downloads: new Shares(shares.downloads),
      lists: new Shares(shares.lists),
      verifications: new Shares(shares.verifications),
    };
  }

  /**
   * Wraps the present request listeners of `server`, and looks for slow clients until it has closed and no
   * request is left: other sockets than its own may have accepted some.
   */
  bound(server: Server): void {
    const handlers = server.listeners("request") as Handler[];
    server.removeAllListeners("request");
    server.on("request", (request, response) => {
      const { socket } = request;
      const waiting = (this.#pipelines.get(socket) ?? 0) + 1;
      this.#pipelines.set(socket, waiting);
      // When the answer was sent, or the client has disconnected.
      response.once("close", () => {
        this.#pipelines.set(socket, (this.#pipelines.get(socket) ?? 1) - 1);
        this.release(request);
      });
      if (waiting > MAX_PIPELINE) {
        this.#closePipeline(socket);
        return;
      }
      const address = this.#options.addressOf(request);
      if (this.#shares.requests.take(address, 1, Infinity) !== undefined) {
        this.#refuse(request, response);
        return;
      }
      const transfer = new Transfer();
      const state = { holder: address, isReading: false, releases: [] };
      this.#open.set(request, { request, response, address, transfer, ...state });
      for (const handle of handlers) handle.call(server, request, response);
    });
    this.#server = server;
    let hasClosed = false;
    server.once("close", () => (hasClosed = true));
    const timer = setInterval(() => {
      this.#sweep();
      if (hasClosed && this.#open.size === 0) clearInterval(timer);
    }, SWEEP_INTERVAL_MS).unref();
  }

  /** How much of each resource is in use. */
  used(): Record<Resource, number> {
    const { requests, bytes, downloads, lists, verifications } = this.#shares;
    return {
      requests: requests.used,
      bytes: bytes.used,
      downloads: downloads.used,
      lists: lists.used,
      verifications: verifications.used,
    };
  }

  addressOf(request: IncomingMessage): string {
    return this.#open.get(request)?.address ?? this.#options.addressOf(request);
  }

  /** From now on the request has a slot of its account. Throws `rate_limited` or `unavailable`. */
  authenticated(request: IncomingMessage, accountId: string): void {
    const exchange = this.#open.get(request);
    if (exchange?.holder === undefined) return;
    this.#shares.requests.release(exchange.holder);
    exchange.holder = undefined;
    this.#check("requests", this.#shares.requests.take(accountId));
    exchange.holder = accountId;
  }

  /**
   * Takes one of the account's share until the request ends, and waits for it as long as the shares say.
   * Rejects with `rate_limited` or `unavailable`. A request whose client has disconnected takes nothing:
   * nobody waits for its answer.
   */
  async takeInTime(request: IncomingMessage, resource: Resource, accountId: string): Promise<void> {
    const exchange = this.#open.get(request);
    if (exchange === undefined) return;
    const { taken, release } = this.#shares[resource].takeInTime(accountId);
    exchange.releases.push(release);
    if (taken === undefined) return;
    this.#check(resource, await taken);
    // Its answers are large, and it does not read them: another one would be made in vain.
    const { bytes } = this.#options.shares;
    if (this.#shares.bytes.heldBy(accountId) > bytes.share / 2) this.#check("bytes", "share");
  }

  /** Takes `amount` of the account's share until the request ends. Throws as `takeInTime` rejects. */
  take(request: IncomingMessage, resource: Resource, accountId: string, amount = 1): void {
    const exchange = this.#open.get(request);
    if (exchange === undefined) return;
    const shares = this.#shares[resource];
    this.#check(resource, shares.take(accountId, amount));
    exchange.releases.push(() => shares.release(accountId, amount));
  }

  /**
   * The body is being read from now on: its bytes are the account's until the answer was sent, because the
   * answer repeats them. Throws when they are too many by their Content-Length.
   */
  readBody(request: IncomingMessage, accountId: string): void {
    const exchange = this.#open.get(request);
    if (exchange === undefined) return;
    const length = request.headers["content-length"];
    if (length !== undefined) {
      this.take(request, "bytes", accountId, Number(length));
    } else {
      request.on("data", (chunk: Buffer) => {
        try {
          this.take(request, "bytes", accountId, chunk.length);
        } catch (error) {
          this.#disconnect(exchange, error as Error);
        }
      });
    }
    exchange.isReading = true;
  }

  /** Releases all that the request holds. */
  release(request: IncomingMessage): void {
    const exchange = this.#open.get(request);
    if (exchange === undefined) return;
    this.#open.delete(request);
    if (exchange.holder !== undefined) this.#shares.requests.release(exchange.holder);
    for (const release of exchange.releases) release();
  }

  /** Too many requests wait on one connection, each for those before it. */
  #closePipeline(socket: Socket): void {
    if (!socket.destroyed) this.#options.metrics.refused("pipeline");
    socket.destroy();
  }

  #check(resource: Resource, refusal: "share" | "total" | undefined): void {
    if (refusal === undefined) return;
    this.#options.metrics.refused(`${resource}_${refusal}`);
    if (refusal === "total") throw overloaded();
    throw new AnnalsError("rate_limited", MESSAGES[resource], { retryAfterS: 1 });
  }

  #sweep(): void {
    const now = performance.now();
    const isLate = now - this.#sweptAt > SWEEP_INTERVAL_MS + MAX_SWEEP_LATE_MS;
    this.#sweptAt = now;
    for (const exchange of this.#open.values()) {
      if (isLate) exchange.transfer.restart();
      else this.#endSlow(exchange, now);
    }
  }

  #endSlow(exchange: Exchange, now: number): void {
    const slow = exchange.transfer.slowness(exchange, this.#options.transfers, now);
    if (slow === undefined) return;
    this.#options.metrics.refused(slow);
    const timeout = Object.assign(new Error(slow), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
    if (slow === "slow_body") this.#disconnect(exchange, timeout);
    else exchange.request.socket.destroy();
  }

  /** As after an error of the parser: an answer, and the connection is closed. */
  #disconnect({ request }: Exchange, error: Error): void {
    this.release(request);
    request.pause();
    this.#server?.emit("clientError", error, request.socket);
  }

  /** Before any work: an unbounded queue would answer everyone too late. */
  #refuse(request: IncomingMessage, response: ServerResponse): void {
    const { accessLog, earlyAnswers, limit, metrics, newRequestId } = this.#options;
    metrics.onRefused(request);
    metrics.refused("requests_total");
    const requestId = newRequestId();
    const { status, headers, body } = errorAnswer(overloaded(), requestId);
    const { method } = request;
    accessLog.record({ requestId, method, route: "refused", status, durationMs: 0 });
    const text = JSON.stringify(body);
    // The parser hands over a body that came with the head in the same turn of the event loop.
    setImmediate(() => {
      const isUnread = hasUnreadBody(request);
      response.writeHead(status, {
        ...headers,
        ...(isUnread && { connection: "close" }),
        "content-type": "application/json; charset=utf-8",
        "content-length": Buffer.byteLength(text),
        "x-ratelimit-limit": limit,
        "x-ratelimit-remaining": limit,
        "x-request-id": requestId,
      });
      if (isUnread) earlyAnswers.stream(text, request).pipe(response);
      else response.end(text);
    });
  }
}

function overloaded(): AnnalsError {
  return unavailable("The service has more requests than it can take. Try again.");
}
