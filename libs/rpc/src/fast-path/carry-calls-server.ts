// The server's end of CarryCalls: unary calls that share one stream, each through the same interceptors and
// handlers as a call of its own. Called by rpc-server.ts. One call's failure must never harm another, and
// neither calls nor answers may gather without bound.

import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import {
  type CarryCallsRequest,
  CarryCallsRequestSchema,
  CarryCallsResponseSchema,
  CallsService,
} from "@annals/proto/calls";
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { framed, FrameReader, PREFIX_BYTES, readMessage } from "./grpc-frame.ts";
import { type AnswerStream, isPlainGrpc, statusOf } from "./grpc-unary.ts";
import { ServedCall, type UnaryMethods } from "./unary-methods.ts";
import { bytesField } from "../encoded-message.ts";

export interface CarryCallsOptions {
  readonly methods: UnaryMethods;
  /**
   * A call with a longer request, or with a longer answer, which the caller could not read, is
   * RESOURCE_EXHAUSTED.
   */
  readonly maxMessageBytes: number;
  readonly maxTimeoutMs: number;
  /** While so many calls of a stream are under way, no more are read from it. */
  readonly maxCalls: number;
  /** Aborted when the connection is told to go. */
  readonly retiring: (session: ServerHttp2Session | undefined) => AbortSignal | undefined;
  /** Called for a stream that is ended before it was read to the end. */
  readonly endEarly: (stream: ServerHttp2Stream) => void;
}

const { message: MESSAGE } = CarryCallsResponseSchema.field;

export const CARRY_CALLS = `/${CallsService.typeName}/${CallsService.method.carryCalls.name}`;

/**
 * The longest message that is carried. A longer one is sent in a call of its own, where it keeps no other
 * waiting.
 */
export const MAX_CARRIED_BYTES = 1024 * 1024;
/** For what stands around the message: path, headers. */
const ENVELOPE_BYTES = 64 * 1024;

export function carryCalls(options: CarryCallsOptions): AnswerStream {
  return (stream, headers) => {
    if (headers[":path"] !== CARRY_CALLS || !isPlainGrpc(headers)) return false;
    new CarriedCalls(stream, options).begin();
    return true;
  };
}

class CarriedCalls {
  readonly #stream: ServerHttp2Stream;
  readonly #options: CarryCallsOptions;
  readonly #frames = new FrameReader(MAX_CARRIED_BYTES + ENVELOPE_BYTES);
  /** By id. */
  readonly #underWay = new Map<number, ServedCall>();
  #isLastRead = false;

  constructor(stream: ServerHttp2Stream, options: CarryCallsOptions) {
    this.#stream = stream;
    this.#options = options;
  }

  begin(): void {
    const stream = this.#stream;
    const retiring = this.#options.retiring(stream.session as ServerHttp2Session | undefined);
    stream.respond(
      { ":status": 200, "content-type": "application/grpc" },
      { waitForTrailers: true },
    );
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.on("data", this.#onData);
    stream.on("drain", this.#readOn);
    stream.on("end", this.#onEnd);
    // The close that follows says all; without a listener the peer's fault would end the process.
    stream.on("error", () => {});
    stream.on("close", () => {
      retiring?.removeEventListener("abort", this.#leave);
      for (const call of this.#underWay.values()) call.callerLeft();
    });
    if (retiring?.aborted) this.#leave();
    else retiring?.addEventListener("abort", this.#leave, { once: true });
  }

  readonly #onData = (piece: Buffer): void => {
    try {
      for (const message of this.#frames.read(piece)) {
        this.#take(readMessage(CarryCallsRequestSchema, message));
      }
    } catch (error) {
      this.#fail(error);
    }
    if (this.#isFull()) this.#stream.pause();
  };

  readonly #readOn = (): void => {
    if (this.#stream.isPaused() && !this.#isFull()) this.#stream.resume();
  };

  #isFull(): boolean {
    return this.#underWay.size >= this.#options.maxCalls || this.#stream.writableNeedDrain;
  }

  readonly #onEnd = (): void => {
    this.#isLastRead = true;
    this.#endAfterLast();
  };

  #take(request: CarryCallsRequest): void {
    const { id, path, message } = request;
    const { methods, maxMessageBytes, maxTimeoutMs } = this.#options;
    if (this.#underWay.has(id)) {
      throw new ConnectError(`two calls have the id ${id}`, Code.InvalidArgument);
    }
    const method = methods.get(path);
    if (!method) {
      const unknown = new ConnectError(`there is no unary method ${path}`, Code.Unimplemented);
      return this.#write({ id, trailer: statusOf(unknown) });
    }
    if (message.length > maxMessageBytes) {
      return this.#write({ id, trailer: statusOf(tooLarge("message", maxMessageBytes)) });
    }
    const call = new ServedCall({
      method,
      url: `http://localhost${path}`,
      header: new Headers(request.header),
      timeoutMs: Math.min(request.timeoutMs || maxTimeoutMs, maxTimeoutMs),
    });
    this.#underWay.set(id, call);
    void this.#answer(request, call, method.method.output);
  }

  async #answer(
    { id, message }: CarryCallsRequest,
    call: ServedCall,
    output: Parameters<typeof toBinary>[0],
  ): Promise<void> {
    try {
      const response = await call.run(message);
      const header = Object.fromEntries(response.header);
      const trailer = Object.fromEntries(response.trailer);
      this.#write({ id, header, trailer }, toBinary(output, response.message));
    } catch (error) {
      this.#write({ id, trailer: statusOf(error) });
    }
    call.end();
    this.#underWay.delete(id);
    this.#endAfterLast();
    this.#readOn();
  }

  #write(
    envelope: MessageInitShape<typeof CarryCallsResponseSchema>,
    message = new Uint8Array(),
  ): void {
    const stream = this.#stream;
    if (stream.destroyed || stream.writableEnded) return;
    const frame = framed(
      toBinary(CarryCallsResponseSchema, create(CarryCallsResponseSchema, envelope)),
      ...bytesField(MESSAGE, message),
    );
    const { maxMessageBytes } = this.#options;
    if (frame.length - PREFIX_BYTES > maxMessageBytes) throw tooLarge("answer", maxMessageBytes);
    stream.write(frame);
  }

  readonly #leave = (): void => this.#write({ leaving: true });

  #endAfterLast(): void {
    if (this.#isLastRead && this.#underWay.size === 0) this.#stream.end();
  }

  /** What came cannot be read, so neither can what follows it. */
  #fail(error: unknown): void {
    const stream = this.#stream;
    stream.off("data", this.#onData);
    stream.removeAllListeners("wantTrailers");
    stream.on("wantTrailers", () => stream.sendTrailers(statusOf(error)));
    this.#options.endEarly(stream);
    stream.end();
  }
}

function tooLarge(what: "message" | "answer", maxBytes: number): ConnectError {
  return new ConnectError(`the ${what} is larger than ${maxBytes} bytes`, Code.ResourceExhausted);
}
