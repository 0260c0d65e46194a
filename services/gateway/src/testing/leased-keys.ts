// The keys service and gateways over it, for the tests of leases: with one key, and clocks that only the test
// moves. Imported by admission/leases*.test.ts.

import { ComparedClock, formatMicros, mintKey } from "@annals/contract";
import { AnnalsError, unavailable } from "@annals/errors";
import { AdmitRequestsResponseSchema } from "@annals/proto/keys";
import { create } from "@bufbuild/protobuf";
import { onTestFinished, vi } from "vitest";
import { Admissions } from "../admission/admissions.ts";
import { Unauthenticated } from "../edge/unauthenticated.ts";
import { NO_WORKLOADS } from "./no-workloads.ts";

export const LEASE_MS = 250;
export const WINDOW_MS = 60_000;
export const LIMIT = 1_024;
const START_US = 1_800_000_000_000_000;
export const KEY = `Bearer ${mintKey("annals")}`;

/** Stops the monotonic clock: only the test moves it. */
export function stopTime(): void {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

export const pass = (ms: number): unknown => vi.advanceTimersByTime(ms);

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export interface Group {
  readonly count?: number;
  readonly ahead?: number;
}

/** The keys service with one key, which counts as the statement of keys does, by the monotonic clock. */
export class Keys {
  readonly asked: Required<Group>[] = [];
  leaseMs = LEASE_MS;
  isRevoked = false;
  isDown = false;
  /** Called before and after the statement: time may pass there. */
  travel = async (): Promise<void> => {};
  startedMs = -WINDOW_MS;
  /** When the window of the account began, in which the requests count as well. */
  accountStartedMs = -WINDOW_MS;
  /** Requests of all windows, none of which has more than its limit. */
  counted = 0;
  readonly #limit: number;
  readonly #accountLimit: number;
  #used = 0;
  #accountUsed = 0;

  constructor(limit = LIMIT, accountLimit = 60 * limit) {
    this.#limit = limit;
    this.#accountLimit = accountLimit;
  }

  readonly admitRequests = async ({ groups = [] }: { groups?: Group[] }) => {
    await this.travel();
    if (this.isDown) throw unavailable("away");
    const admissions = groups.map((group) => this.#admit(group));
    await this.travel();
    return create(AdmitRequestsResponseSchema, { admissions, limit: this.#limit });
  };

  #admit({ ahead = 0, count = 0 }: Group) {
    this.asked.push({ ahead, count });
    if (this.isRevoked) return {};
    const now = performance.now();
    const wanted = count + ahead;
    if (wanted > 0 && now >= this.startedMs + WINDOW_MS) [this.startedMs, this.#used] = [now, 0];
    const ofKey = Math.min(wanted, this.#limit - this.#used);
    if (ofKey > 0 && now >= this.accountStartedMs + WINDOW_MS)
      [this.accountStartedMs, this.#accountUsed] = [now, 0];
    const admitted = Math.min(ofKey, this.#accountLimit - this.#accountUsed);
    this.#used += admitted;
    this.#accountUsed += admitted;
    this.counted += admitted;
    // Without a count the statement does not read the window, and without room in it not that of the account.
    const used = wanted > 0 ? this.#used : 0;
    const endsInS = wanted > 0 ? secondsTo(this.startedMs + WINDOW_MS) : 60;
    const accountEndsInS = ofKey > 0 ? secondsTo(this.accountStartedMs + WINDOW_MS) : 60;
    return {
      accountId: "acct_1",
      keyId: "key_1",
      statement: "s",
      plan: {},
      accountWindow: {
        limit: this.#accountLimit,
        used: ofKey > 0 ? this.#accountUsed : 0,
        endsInS: accountEndsInS,
        isExceeded: admitted < ofKey,
      },
      admitted,
      remaining: this.#limit - used,
      windowEndsInS: endsInS,
      leaseMs: this.leaseMs,
    };
  }
}

function secondsTo(ms: number): number {
  return Math.max(1, Math.ceil((ms - performance.now()) / 1_000));
}

export function gateway(keys: Keys) {
  const state = { wallShiftUs: 0 };
  const nowMicros = () => START_US + performance.now() * 1_000 + state.wallShiftUs;
  const clock = new ComparedClock({ nowMicros, nowText: () => formatMicros(nowMicros()) });
  const budget = { isOver: () => false };
  const unauthenticated = new Unauthenticated({ budget, onRefused: () => {} });
  const admissions = new Admissions(
    { admitRequests: (request) => keys.admitRequests(request), ...NO_WORKLOADS },
    unauthenticated,
    clock,
  );
  const request = { requestId: "req_1", ip: "127.0.0.1", isWidget: false };
  const body = { complete: true };
  const get = () => admissions.admit(KEY, { ...request, address: "127.0.0.1", body });
  return {
    state,
    get,
    /** "admitted", or why it was refused. */
    outcome: () =>
      get().then(
        () => "admitted",
        (error: unknown) => (error instanceof AnnalsError ? error.kind : String(error)),
      ),
    /** Whether keys had to be asked for a request that was counted. */
    asksAgain: async () => {
      const before = keys.asked.length;
      await admissions.readmit(KEY, request);
      return keys.asked.length > before;
    },
    readmit: () => admissions.readmit(KEY, request),
  };
}
