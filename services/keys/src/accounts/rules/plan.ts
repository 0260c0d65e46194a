// What an account may do. An account names a plan or none; none is the default of the operator's file
// (plans-file.ts). A limit that a plan does not name has a default, which only the events of a month lack.

import { DEFAULT_EVENTS_PER_DAY, type Feature } from "@annals/contract";

export interface Plan {
  readonly name: string;
  readonly featuresLeftOut: readonly Feature[];
  /** Keys that are live at one time, the first one included. */
  readonly maxKeys: number;
  readonly maxWebhooks: number;
  readonly maxSinks: number;
  readonly maxSearchFields: number;
  /** Widget tokens that are live at one time. */
  readonly maxWidgetTokens: number;
  /** Events stored in a month of UTC. Absent: any number. */
  readonly monthlyEvents?: number;
  /** Limit of all keys and widget tokens together. Absent: {@link accountRate} of the setting for a key. */
  readonly requestsPerMinute?: number;
  /** Limit of intake of all keys together. Absent: {@link accountRate} of the setting for a key. */
  readonly intakeRequestsPerMinute?: number;
  /** Events that exports read in a day of UTC, and events that replays send again. */
  readonly eventsExportedPerDay: number;
  readonly eventsReplayedPerDay: number;
  /** Bytes of all files of exports. Absent: the setting of the export service. */
  readonly maxExportBytes?: number;
  /** Days after which an event is deleted. Absent: never, unless the account sets a time. */
  readonly retentionDays?: number;
  /** The shortest time that an account can set, in days. */
  readonly minRetentionDays: number;
  /** Whether the account may have its events archived. */
  readonly archive: boolean;
  /** Days after which an archive is deleted. Absent: never. */
  readonly archiveDays?: number;
}

/** What a plan allows that does not say it. */
export const DEFAULT_LIMITS = {
  maxKeys: 1_000,
  maxWebhooks: 1_000,
  maxSinks: 10,
  maxSearchFields: 8,
  maxWidgetTokens: 10_000,
  eventsExportedPerDay: DEFAULT_EVENTS_PER_DAY,
  eventsReplayedPerDay: DEFAULT_EVENTS_PER_DAY,
  minRetentionDays: 30,
  archive: false,
};

/** Numbers of things and of requests travel in 32 bits. */
export const MAX_COUNT = 2 ** 31 - 1;

const KEYS_AT_FULL_RATE = 60;
/** Files of the log are small, and a client that follows the log asks for many of them. */
const LOG_REQUESTS = 30;
const PARTS_OF_TOKENS = 4;

/** Requests in the window of an account whose plan does not say it: as many as 60 keys may make. */
export function accountRate(rateOfKey: number): number {
  return Math.min(KEYS_AT_FULL_RATE * rateOfKey, MAX_COUNT);
}

/** Requests for the log that a key may make, in a window of their own. */
export function logRate(rateOfKey: number): number {
  return Math.min(LOG_REQUESTS * rateOfKey, MAX_COUNT);
}

/** How many of the account's widget tokens one key may have made: a quarter, rounded up. */
export function shareOfTokens(maxWidgetTokens: number): number {
  return Math.ceil(maxWidgetTokens / PARTS_OF_TOKENS);
}

interface AccountLimits {
  readonly named: readonly (readonly [name: string, limit: number])[];
  readonly fallback: number;
}

/** The plans of one file. */
export class Plans {
  readonly #byName: ReadonlyMap<string, Plan>;
  readonly #default: Plan;

  /** `fallback` is one of `plans`. */
  constructor(plans: readonly Plan[], fallback: Plan) {
    this.#byName = new Map(plans.map((plan) => [plan.name, plan]));
    this.#default = fallback;
  }

  get names(): string[] {
    return [...this.#byName.keys()];
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /**
   * The plan of an account that holds `name`, null for none. A name that is not in the file counts as none:
   * an account got it after this process had started, from a newer file. Processes that start later do not
   * become ready with it.
   */
  of(name: string | null): Plan {
    return (name === null ? undefined : this.#byName.get(name)) ?? this.#default;
  }

  /**
   * The requests of an account in its window: by the name of its plan, if that allows another number than
   * the default plan, and of the default plan. `unsaid` is what a plan allows that does not say it.
   */
  accountLimits(unsaid: number): AccountLimits {
    return this.#limits(({ requestsPerMinute = unsaid }) => requestsPerMinute);
  }

  /** The same of intake, which has a window of its own. */
  accountIntakeLimits(unsaid: number): AccountLimits {
    return this.#limits(({ intakeRequestsPerMinute = unsaid }) => intakeRequestsPerMinute);
  }

  #limits(limitOf: (plan: Plan) => number): AccountLimits {
    const fallback = limitOf(this.#default);
    const all = Array.from(this.#byName.values(), (plan) => [plan.name, limitOf(plan)] as const);
    return { named: all.filter(([, limit]) => limit !== fallback), fallback };
  }
}

const UNLIMITED: Plan = { name: "unlimited", featuresLeftOut: [], ...DEFAULT_LIMITS };

/** Used if there is no file of plans: one plan with the limits that every plan has. */
export const UNLIMITED_PLANS = new Plans([UNLIMITED], UNLIMITED);
