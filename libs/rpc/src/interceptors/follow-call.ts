// The name of a call, its gRPC status, and the moment it ends. Called by the interceptors of this folder. It
// must never change a message.

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
  /** The call succeeded. Exactly one of this and `failed` is called, once. */
  succeeded(): void;
  /** The call failed, or its stream was cancelled. Returns the error that the caller sees. */
  failed(error: unknown): unknown;
  /** Runs each part of the call, when it needs an async context (tracing). */
  inside?<T>(work: () => T): T;
}

/** The verb-noun of a method: `create-events` of `CreateEvents`. */
export function verbNoun(method: DescMethod): string {
  return method.name.replaceAll(/(?<=.)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}

/** The gRPC name of a status: `OK`, `NOT_FOUND`. */
export function statusName(error?: unknown): string {
  if (error === undefined) return "OK";
  const { code } = ConnectError.from(error);
  if (code === Code.Canceled) return "CANCELLED";
  return Code[code].replaceAll(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/**
 * Runs the call and calls `hooks` when it ends. A stream ends with its last message, not its first.
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
  // A reader that stops requests no further message: the signal is then the only sign of the end.
  const cancelled = (): void => {
    if (ended) return;
    ended = true;
    hooks.failed(ConnectError.from(signal.reason ?? "the stream was cancelled", Code.Canceled));
  };
  const end = (): boolean => {
    signal.removeEventListener("abort", cancelled);
    const first = !ended;
    ended = true;
    return first;
  };
  signal.addEventListener("abort", cancelled, { once: true });
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
      cancelled();
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
