// What an account may do. An account names a plan or none; none is the default of the operator's file
// (plans-file.ts).

import type { Feature } from "@annals/contract";

/** An absent limit is none. */
export interface Plan {
  readonly name: string;
  readonly featuresLeftOut: readonly Feature[];
  /** Keys that are live at one time, the first one included. */
  readonly maxKeys?: number;
  readonly maxWebhooks?: number;
  /** Events stored in a month of UTC. */
  readonly monthlyEvents?: number;
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
}

const UNLIMITED: Plan = { name: "unlimited", featuresLeftOut: [] };

/** Where there is no file: one plan without limits. */
export const UNLIMITED_PLANS = new Plans([UNLIMITED], UNLIMITED);
