// Checks proofs apart from the page: in a worker, or if the page may start none, on the page in slices that
// are too short to be felt. Used by the element. It must never block input.

import type { EventCheck } from "@annals/proof";
import type { ProvenEvent } from "../client.ts";
import { type CheckAnswer, checkOne, type CheckRequest } from "./check.ts";

/** Events that one message carries: a copy of more of them could be felt. */
const MESSAGE_EVENTS = 20;
/** How long the page works on proofs without a pause, in milliseconds. */
const SLICE_MS = 8;

/** The name that a policy for Trusted Types allows. */
const POLICY = "annals-viewer";

/** One for all viewers of a page: a page may refuse a second policy of the same name. */
let policy: ReturnType<TrustedTypes["createPolicy"]> | undefined;

/** Only the two calls that are used: not every library of types has it. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

export class Checker {
  #worker: Worker | undefined;
  readonly #waiting = new Map<number, { request: CheckRequest; done: (c: CheckAnswer) => void }>();
  #next = 0;
  #slices: Promise<unknown> = Promise.resolve();

  /** `script` is the address of this module. */
  constructor(script: string) {
    this.#worker = startWorker(script);
    this.#worker?.addEventListener("message", ({ data }: MessageEvent<CheckAnswer>) => {
      this.#waiting.get(data.id)?.done(data);
      this.#waiting.delete(data.id);
    });
    // A policy that allows no worker is told by this event alone.
    this.#worker?.addEventListener("error", () => this.#withoutWorker());
  }

  /** Calls `onChecked` for each event, in order, as its check is known. */
  async check(
    events: readonly ProvenEvent[],
    onChecked: (checks: readonly EventCheck[], from: number) => void,
    signal: AbortSignal,
  ): Promise<void> {
    for (let from = 0; from < events.length && !signal.aborted; from += MESSAGE_EVENTS) {
      const answer = await this.#ask(events.slice(from, from + MESSAGE_EVENTS));
      if (!signal.aborted) onChecked(answer.checks, from);
    }
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#waiting.clear();
  }

  #ask(events: readonly ProvenEvent[]): Promise<CheckAnswer> {
    const request: CheckRequest = { id: (this.#next += 1), events };
    if (!this.#worker) return this.#slice(request);
    return new Promise((done) => {
      this.#waiting.set(request.id, { request, done });
      this.#worker?.postMessage(request);
    });
  }

  #withoutWorker(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { request, done } of this.#waiting.values()) void this.#slice(request).then(done);
    this.#waiting.clear();
  }

  /** One after the other, also if several are asked for at the same time. */
  #slice({ id, events }: CheckRequest): Promise<CheckAnswer> {
    const answer = this.#slices.then(async () => {
      const checks: EventCheck[] = [];
      let started = performance.now();
      for (const event of events) {
        checks.push(await checkOne(event));
        if (performance.now() - started < SLICE_MS) continue;
        await nextTask();
        started = performance.now();
      }
      return { id, checks };
    });
    this.#slices = answer;
    return answer;
  }
}

/** The name of the file that is its own worker: a bundler may have moved this module into another one. */
const FILE = /\/viewer(-[0-9a-f]+)?\.js$/;

/** Undefined if the page may not start a worker of this module: another origin or file, or a policy. */
function startWorker(script: string): Worker | undefined {
  const { origin, pathname } = new URL(script);
  if (origin !== location.origin || !FILE.test(pathname)) return undefined;
  try {
    const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
    policy ??= trustedTypes?.createPolicy(POLICY, { createScriptURL: (url) => url });
    return new Worker(policy?.createScriptURL(script) ?? script, { type: "module" });
  } catch {
    return undefined;
  }
}

/** A new task, so that input and rendering come first. A timer would be delayed. */
function nextTask(): Promise<void> {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      port1.close();
      done();
    });
    port1.start();
    port2.postMessage(null);
  });
}
