// How much each test of this folder does: the one object of rounds and durations that they read. The full
// form is what docs/reliability.md reports, the short one what continuous integration runs. Chosen by
// vitest.config.ts, read by tests with `inject("form")`. It must never hold a bound that a promise names:
// a short run promises the same.

export interface Form {
  readonly name: "full" | "short";
  readonly killedServices: { readonly rounds: number; readonly appends: number };
  readonly killedPostgres: { readonly rounds: number; readonly appends: number };
  readonly sharedTransactions: { readonly rounds: number; readonly accounts: number };
  readonly lostAnswers: { readonly cuts: number };
  readonly stoppedLedger: { readonly stoppedMs: number };
  readonly endedSessions: { readonly forMs: number };
  readonly rollingRestart: { readonly requestsPerS: number; readonly rounds: number };
  readonly fuzz: { readonly cases: number };
  /** Of the full form alone. */
  readonly schemathesis: { readonly rounds: number; readonly cases: number };
  /** How long each link is harmed at least, and how many of the links are slowed, and silent, in turn. */
  readonly links: {
    readonly outageMs: number;
    readonly slowed: number;
    readonly swallowed: number;
  };
  /** How long the disk stays full, and in how many of the ways to make it small, if there are so many. */
  readonly disk: { readonly fullForMs: number; readonly ways: number };
  readonly overload: { readonly forMs: number };
}

export const FORMS: Readonly<Record<Form["name"], Form>> = {
  full: {
    name: "full",
    killedServices: { rounds: 50, appends: 1_000 },
    killedPostgres: { rounds: 20, appends: 1_000 },
    sharedTransactions: { rounds: 20, accounts: 20 },
    lostAnswers: { cuts: 100 },
    stoppedLedger: { stoppedMs: 30_000 },
    endedSessions: { forMs: 60_000 },
    rollingRestart: { requestsPerS: 300, rounds: 3 },
    fuzz: { cases: 10_000 },
    schemathesis: { rounds: 10, cases: 1_000 },
    links: { outageMs: 5_000, slowed: 14, swallowed: 14 },
    disk: { fullForMs: 10_000, ways: 2 },
    overload: { forMs: 60_000 },
  },
  short: {
    name: "short",
    killedServices: { rounds: 4, appends: 500 },
    killedPostgres: { rounds: 2, appends: 500 },
    sharedTransactions: { rounds: 2, accounts: 10 },
    lostAnswers: { cuts: 10 },
    stoppedLedger: { stoppedMs: 12_000 },
    endedSessions: { forMs: 5_000 },
    rollingRestart: { requestsPerS: 150, rounds: 1 },
    fuzz: { cases: 150 },
    schemathesis: { rounds: 0, cases: 0 },
    links: { outageMs: 500, slowed: 4, swallowed: 2 },
    disk: { fullForMs: 2_000, ways: 1 },
    overload: { forMs: 8_000 },
  },
};

declare module "vitest" {
  export interface ProvidedContext {
    readonly form: Form;
  }
}
