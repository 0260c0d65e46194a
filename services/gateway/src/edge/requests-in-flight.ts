// Bounds what the requests of this process hold. Called by serve.ts, the hooks of app.ts and
// register-routes.ts. A request has a slot until its response is made: an anonymous one without a key, one
// of its address with a key, one of its account from its admission on. What it holds of work is released when
// the work has ended, whether its client is still there or not. What its client has not read counts as bytes.
// It must never count a request after all of that.

import { type AnnalsError, unavailable } from "@annals/errors";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Metrics, Resource } from "../metrics.ts";
import type { Exchange } from "./exchange.ts";
import { Pipelines } from "./pipelines.ts";
import { Resources } from "./resources.ts";
import type { SharesOptions } from "./shares.ts";
import { SlowClients } from "./slow-clients.ts";
import { RequestSlots, type Slot } from "./request-slots.ts";
import { Transfer, type TransferLimits } from "./transfer-rate.ts";
import { UnreadResponses } from "./unread-responses.ts";

export interface InFlightOptions {
  readonly shares: Readonly<Record<Resource, SharesOptions>>;
  readonly transfers: TransferLimits;
  readonly addressOf: (request: IncomingMessage) => string;
  /** The account whose key the request has, if the key was admitted lately. It admits no request. */
  readonly recognise: (request: IncomingMessage) => string | undefined;
  /** Whether a response on the connection has announced its end: a further request is not processed. */
  readonly isEnding: (socket: Socket) => boolean;
  /** Refuses a request that got no slot. */
  readonly refuse: (request: IncomingMessage, response: ServerResponse, error: AnnalsError) => void;
  readonly metrics: Pick<Metrics, "refused">;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** What work of an account holds until it has ended, or for a download until the client has read it. */
export type WorkResource = "downloads" | "lists" | "verifications";

/**
 * What a request that waits takes in memory, about, besides its URL: its headers, and the objects of Node.
 */
const WAITING_BYTES = 4 * 1024;

export class RequestsInFlight {
  readonly #options: InFlightOptions;
  readonly #resources: Resources;
  readonly #open = new Map<IncomingMessage, Exchange>();
  readonly #pipelines: Pipelines;
  readonly #slots: RequestSlots;
  readonly #slow: SlowClients;
  readonly #unread: UnreadResponses;
  #handlers: readonly Handler[] = [];
  #server: Server | undefined;

  constructor(options: InFlightOptions) {
    this.#options = options;
    this.#resources = new Resources(options.shares, options.metrics);
    this.#slots = new RequestSlots(this.#resources, options.recognise);
    this.#unread = new UnreadResponses(this.#resources, this.#open);
    this.#slow = new SlowClients(this.#open, {
      ...options,
      disconnect: (exchange, error) => this.#disconnect(exchange, error),
    });
    this.#pipelines = new Pipelines({
      begin: (request, response) => this.#begin(request, response),
      hold: (request) => this.#holdWaiting(request),
      onClosed: () => options.metrics.refused("pipeline"),
    });
  }

  /** Wraps the present request listeners of `server`. */
  attach(server: Server): void {
    this.#handlers = server.listeners("request") as Handler[];
    server.removeAllListeners("request");
    server.on("request", (request, response) => {
      if (this.#options.isEnding(request.socket)) return;
      // When the response was sent, or the client has disconnected.
      response.once("close", () => {
        this.#closed(request);
        this.#pipelines.over(request);
      });
      this.#pipelines.arrived(request, response);
    });
    this.#server = server;
  }

  allResponded(socket: Duplex): ReturnType<Pipelines["allResponded"]> {
    return this.#pipelines.allResponded(socket);
  }

  /** How much of each resource is in use. */
  used(): Record<Resource, number> {
    return this.#resources.used();
  }

  addressOf(request: IncomingMessage): string {
    return this.#open.get(request)?.address ?? this.#options.addressOf(request);
  }

  /** Gives the request a slot of its account. Throws `rate_limited` or `unavailable`. */
  authenticated(request: IncomingMessage, accountId: string): void {
    const exchange = this.#open.get(request);
    if (exchange === undefined || exchange.hasClosed) return;
    exchange.accountId = accountId;
    this.#slots.moveTo(exchange, accountId);
  }

  /**
   * Work for the request begins: what it holds is held until `ended`. Throws if its client has
   * disconnected: the response would have no reader.
   */
  begin(request: IncomingMessage): void {
    const exchange = this.#open.get(request);
    if (exchange === undefined || exchange.hasClosed) throw clientGone();
    exchange.works += 1;
  }

  /** What began has ended. */
  ended(request: IncomingMessage): void {
    const exchange = this.#open.get(request);
    if (exchange === undefined) return;
    exchange.works -= 1;
    this.#settle(exchange);
  }

  /**
   * The response is made and given to the connection, or it is only waiting to be: nothing else is done for
   * the request. `streamedBytes` are what a response in pieces holds until it was read.
   */
  responded(request: IncomingMessage, streamedBytes = 0): void {
    const exchange = this.#open.get(request);
    if (exchange === undefined) return;
    exchange.hasResponse = true;
    this.#settle(exchange);
    this.#unread.measure(exchange, streamedBytes);
  }

  /** Aborted when the client disconnects before the response. */
  signalOf(request: IncomingMessage): AbortSignal {
    const exchange = this.#open.get(request);
    if (exchange === undefined) return AbortSignal.abort();
    exchange.aborter ??= new AbortController();
    if (exchange.hasClosed) exchange.aborter.abort();
    return exchange.aborter.signal;
  }

  /**
   * Takes one of the account's share until the work for the request has ended, and waits for it as long as
   * the shares say. Rejects with `rate_limited` or `unavailable`. A request whose client has disconnected
   * takes nothing.
   */
  async acquire(
    request: IncomingMessage,
    resource: WorkResource,
    accountId: string,
  ): Promise<void> {
    const exchange = this.#open.get(request);
    if (exchange === undefined) return;
    const { taken, release } = this.#resources.shares[resource].acquire(accountId);
    exchange[resource === "downloads" ? "untilClosed" : "untilEnded"].push(release);
    if (taken !== undefined) this.#resources.check(resource, await taken);
    // Its responses are large, and it does not read them: another one would be made in vain.
    if (resource === "lists" && this.#unread.isHalfTaken(accountId))
      this.#resources.check("unread_bytes", "share");
  }

  /**
   * Does work that several requests may wait for: it has one of the resource until it has ended, whichever of
   * their clients disconnects. Rejects as `acquire` does.
   */
  async withOne<T>(resource: "head_log", holder: string, work: () => Promise<T>): Promise<T> {
    const { taken, release } = this.#resources.shares[resource].acquire(holder);
    try {
      if (taken !== undefined) this.#resources.check(resource, await taken);
      return await work();
    } finally {
      release();
    }
  }

  /** Takes memory for a response, until its client has read it. Throws as `acquire` rejects. */
  reserveResponse(request: IncomingMessage, bytes: number): void {
    const exchange = this.#open.get(request);
    if (exchange !== undefined) this.#unread.reserve(exchange, bytes);
  }

  /**
   * The body is being read from now on: its bytes are the account's until the response is made. Throws when
   * they are too many by their Content-Length.
   */
  readBody(request: IncomingMessage, accountId: string): void {
    const exchange = this.#open.get(request);
    if (exchange === undefined) return;
    const length = request.headers["content-length"];
    if (length !== undefined) {
      this.#takeBytes(exchange, accountId, Number(length));
    } else this.#countChunks(exchange, accountId);
    exchange.isReading = true;
    // Its sender waits to be told that it may.
    if (request.headers.expect !== undefined && request.httpVersion === "1.1")
      exchange.response.writeContinue();
  }

  /** Takes memory for what its body inflates to, in addition to what was received. Throws as `readBody`. */
  takeBody(request: IncomingMessage, bytes: number): void {
    const exchange = this.#open.get(request);
    if (exchange?.accountId !== undefined) this.#takeBytes(exchange, exchange.accountId, bytes);
  }

  #countChunks(exchange: Exchange, accountId: string): void {
    const { request } = exchange;
    const count = (chunk: Buffer): void => {
      // What is drained after the response is not kept.
      if (exchange.hasResponse) return;
      try {
        this.#takeBytes(exchange, accountId, chunk.length);
      } catch (error) {
        request.off("data", count);
        // Fastify reads the body, and refuses it like any other.
        request.emit("error", error);
      }
    };
    request.on("data", count);
    // Fastify may have refused the request already.
    request.on("error", () => {});
  }

  #takeBytes(exchange: Exchange, accountId: string, amount: number): void {
    const { bytes } = this.#resources.shares;
    this.#resources.check("bytes", bytes.tryAcquire(accountId, amount));
    exchange.untilEnded.push(() => bytes.release(accountId, amount));
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const address = this.#options.addressOf(request);
    let slot: Slot;
    try {
      slot = this.#slots.take(request, address);
    } catch (error) {
      this.#options.refuse(request, response, error as AnnalsError);
      return;
    }
    const state = { accountId: undefined, isReading: false, hasResponse: false, hasClosed: false };
    const held = { slot, works: 0, unread: 0, untilEnded: [], untilClosed: [], aborter: undefined };
    const transfer = new Transfer();
    this.#open.set(request, { request, response, address, transfer, ...state, ...held });
    this.#slow.watch();
    for (const handle of this.#handlers) handle.call(this.#server, request, response);
  }

  /** Takes memory for a request that waits on its connection; undefined if none is left. */
  #holdWaiting(request: IncomingMessage): (() => void) | undefined {
    const shares = this.#resources.shares.anonymous_bytes;
    const address = this.#options.addressOf(request);
    const bytes = WAITING_BYTES + (request.url?.length ?? 0);
    if (shares.tryAcquire(address, bytes, Infinity) !== undefined) return undefined;
    return () => shares.release(address, bytes);
  }

  #closed(request: IncomingMessage): void {
    const exchange = this.#open.get(request);
    if (exchange === undefined) return;
    exchange.hasClosed = true;
    this.#settle(exchange);
    if (!exchange.response.writableFinished) exchange.aborter?.abort();
  }

  /** Releases what is no longer needed. */
  #settle(exchange: Exchange): void {
    const { hasClosed, hasResponse, works } = exchange;
    if (works > 0 || !(hasResponse || hasClosed)) return;
    this.#slots.release(exchange);
    releaseAll(exchange.untilEnded);
    if (!hasClosed) return;
    releaseAll(exchange.untilClosed);
    this.#unread.release(exchange);
    this.#open.delete(exchange.request);
  }

  /** Sends a refusal and closes the connection, like after an error of the parser. */
  #disconnect(exchange: Exchange, error: Error): void {
    const { request } = exchange;
    exchange.hasResponse = true;
    this.#settle(exchange);
    request.pause();
    this.#server?.emit("clientError", error, request.socket);
  }
}

function releaseAll(releases: (() => void)[]): void {
  for (const release of releases) release();
  releases.length = 0;
}

function clientGone(): AnnalsError {
  return unavailable("The client has disconnected.");
}
