// The caller's end of CarryCalls: unary calls that share streams. Called by grpc-transport.ts for the methods
// that connectRpc was told. A call that may have reached a server is never sent again, and one whose stream
// breaks fails at once.
//
// For time: an append makes two calls, and opening a stream for each took a tenth of the processor time of an
// append under load, and a quarter of an idle one's (docs/performance.md).

import {
  type CarryCallsResponse,
  CarryCallsRequestSchema,
  CarryCallsResponseSchema,
} from "@annals/proto/calls";
import { create, type DescMessage, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, type UnaryRequest, type UnaryResponse } from "@connectrpc/connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import type { ChannelInterface } from "@grpc/grpc-js";
import { CARRY_CALLS } from "./carry-calls-server.ts";
import { GrpcCall, NEVER } from "../grpc-call.ts";
import { bytesField } from "../encoded-message.ts";

const { message: MESSAGE } = CarryCallsRequestSchema.field;

/** Streams of one client. A further one is opened only while a call is under way on each. */
const MAX_STREAMS = 4;
/**
 * A stream stays with its server. After this time the next call opens another, on the connection whose turn
 * it is: so a server that was started later gets its share.
 */
const STREAM_AGE_MS = 30_000;

/** The streams of one client, over its balanced channel. */
export class CallStreams {
  readonly #channel: ChannelInterface;
  readonly #ageMs: number;
  #streams: CallStream[] = [];

  constructor(channel: ChannelInterface, ageMs = STREAM_AGE_MS) {
    this.#channel = channel;
    this.#ageMs = ageMs;
  }

  /** Makes the call with `message`, its request in binary, of at most MAX_CARRIED_BYTES. */
  async call<I extends DescMessage, O extends DescMessage>(
    request: UnaryRequest<I, O>,
    message: Uint8Array,
    deadline: Date,
  ): Promise<UnaryResponse<I, O>> {
    const { method, service, url, header: sent } = request;
    const timeoutMs = deadline.getTime() - Date.now();
    if (timeoutMs <= 0) throw timedOut();
    const header = Object.fromEntries(sent);
    const answer = await this.#pick().call({ path: url, header, timeoutMs, message });
    const trailer = new Headers(answer.trailer);
    const failure = findTrailerError(trailer);
    if (failure) throw failure;
    return {
      stream: false,
      service,
      method,
      header: new Headers(answer.header),
      trailer,
      message: fromBinary(method.output, answer.message),
    };
  }

  /** Calls that are under way are answered. */
  close(): void {
    for (const stream of this.#streams) stream.leave();
    this.#streams = [];
  }

  /** The stream with the fewest calls under way. */
  #pick(): CallStream {
    const oldest = performance.now() - this.#ageMs;
    for (const stream of this.#streams) if (stream.openedAt < oldest) stream.leave();
    this.#streams = this.#streams.filter(({ isLeaving }) => !isLeaving);
    const [first, ...others] = this.#streams;
    const least = others.reduce(
      (one, other) => (one && one.underWay <= other.underWay ? one : other),
      first,
    );
    if (least && (least.underWay === 0 || this.#streams.length >= MAX_STREAMS)) return least;
    const opened = new CallStream(this.#channel);
    this.#streams.push(opened);
    return opened;
  }
}

interface Call {
  readonly path: string;
  readonly header: Record<string, string>;
  readonly timeoutMs: number;
  readonly message: Uint8Array;
}

interface Waiting extends PromiseWithResolvers<CarryCallsResponse> {
  readonly timer: NodeJS.Timeout;
}

class CallStream {
  readonly openedAt = performance.now();
  readonly #call: GrpcCall<typeof CarryCallsResponseSchema>;
  /** By id. */
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  readonly #queue: Uint8Array[] = [];
  #isSending = false;
  #isLeaving = false;

  constructor(channel: ChannelInterface) {
    const request = { url: CARRY_CALLS, header: new Headers(), signal: NEVER };
    this.#call = new GrpcCall(channel, request, CarryCallsResponseSchema, Infinity);
    void this.#read();
  }

  get underWay(): number {
    return this.#waiting.size;
  }

  /** True from when no more calls can be made. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  call({ path, header, timeoutMs, message }: Call): Promise<CarryCallsResponse> {
    const id = (this.#lastId += 1);
    const waiting = Promise.withResolvers<CarryCallsResponse>();
    const timer = setTimeout(() => this.#onDeadline(id), timeoutMs);
    this.#waiting.set(id, { ...waiting, timer });
    const envelope = create(CarryCallsRequestSchema, { id, path, header, timeoutMs });
    this.#queue.push(
      Buffer.concat([toBinary(CarryCallsRequestSchema, envelope), ...bytesField(MESSAGE, message)]),
    );
    void this.#sendQueued();
    return waiting.promise;
  }

  /** A server that has not taken the stream by now shall not find calls on it that nobody waits for. */
  #onDeadline(id: number): void {
    this.#take(id)?.reject(timedOut());
    if (!this.#call.isAnswered) this.#call.cancel(timedOut());
  }

  /** The server answers what was sent, and ends the stream. */
  leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    void this.#sendQueued();
  }

  /** One at a time: of messages that are sent while the stream is not open yet grpc-js keeps the last. */
  async #sendQueued(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      await this.#call.send(next);
    }
    this.#isSending = false;
    if (this.#isLeaving) this.#call.endSending();
  }

  async #read(): Promise<void> {
    let end = unavailable("the server ended the stream");
    try {
      for (;;) {
        const answer = await this.#call.receive();
        if (answer === undefined) break;
        if (answer.leaving) this.leave();
        else this.#take(answer.id)?.resolve(answer);
      }
    } catch (error) {
      // Nobody knows what became of the calls, whatever it was: grpc-js may say INTERNAL of a connection that
      // was cut.
      end = unavailable(ConnectError.from(error).rawMessage, error);
    }
    this.#isLeaving = true;
    for (const id of this.#waiting.keys()) this.#take(id)?.reject(end);
  }

  /** Whoever waits for the answer to this call, who waits no longer. */
  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    clearTimeout(waiting?.timer);
    this.#waiting.delete(id);
    return waiting;
  }
}

function unavailable(message: string, cause?: unknown): ConnectError {
  return new ConnectError(message, Code.Unavailable, undefined, undefined, cause);
}

function timedOut(): ConnectError {
  return new ConnectError("the operation timed out", Code.DeadlineExceeded);
}
