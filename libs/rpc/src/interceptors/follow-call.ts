// What the interceptors share: the name of a call, its outcome as a gRPC status, and the moment it ends.
// Used by the other files of this folder only; it must never change a message.

import type { DescMethod } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";

export type CallRequest = UnaryRequest | StreamRequest;
type CallResponse = UnaryResponse | StreamResponse;
type Next = Parameters<Interceptor>[0];

export interface CallHooks {
  /** The call ended well. Exactly one of this and `failed` is called, once. */
  succeeded(): void;
  /** The call failed, or its stream was given up. Returns what the caller shall see thrown. */
  failed(error: unknown): unknown;
  /** Runs each piece of the call's work, when it needs surroundings (a tracing context). */
  inside?<T>(work: () => T): T;
}

/** The verb-noun of a method, the same word everywhere: `CreateEvents` is `create-events`. */
export function verbNoun(method: DescMethod): string {
  return method.name.replaceAll(/(?<=.)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}

/** The gRPC name of an outcome: `OK`, `NOT_FOUND`. */
export function statusName(error?: unknown): string {
  if (error === undefined) return "OK";
  const { code } = ConnectError.from(error);
  if (code === Code.Canceled) return "CANCELLED";
  return Code[code].replaceAll(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/**
 * Runs the call and tells `hooks` how it ended; a stream ends with its last message, not with its first.
 */
export async function followCall(
  next: Next,
  request: CallRequest,
  hooks: CallHooks,
): Promise<CallResponse> {
  let response: CallResponse;
  try {
    response = await inside(hooks, () => next(request));
  } catch (error) {
    throw hooks.failed(error);
  }
  if (response.stream) {
    return { ...response, message: followMessages(response.message, request.signal, hooks) };
  }
  hooks.succeeded();
  return response;
}

function followMessages<T>(
  messages: AsyncIterable<T>,
  signal: AbortSignal,
  hooks: CallHooks,
): AsyncIterableIterator<T> {
  const iterator = messages[Symbol.asyncIterator]();
  let ended = false;
  // A reader that goes away asks for no further message: the signal is then the only sign of the end.
  const givenUp = (): void => {
    if (ended) return;
    ended = true;
    hooks.failed(ConnectError.from(signal.reason ?? "the stream was given up", Code.Canceled));
  };
  const end = (): boolean => {
    signal.removeEventListener("abort", givenUp);
    const first = !ended;
    ended = true;
    return first;
  };
  signal.addEventListener("abort", givenUp, { once: true });
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      try {
        const result = await inside(hooks, () => iterator.next());
        if (result.done === true && end()) hooks.succeeded();
        return result;
      } catch (error) {
        throw end() ? hooks.failed(error) : error;
      }
    },
    async return(value?: unknown) {
      givenUp();
      end();
      return (await inside(hooks, () => iterator.return?.(value))) ?? { done: true, value };
    },
    async throw(error?: unknown) {
      if (end()) hooks.failed(error);
      if (iterator.throw !== undefined) return await inside(hooks, () => iterator.throw!(error));
      throw error;
    },
  };
}

function inside<T>(hooks: CallHooks, work: () => T): T {
  return hooks.inside === undefined ? work() : hooks.inside(work);
}
