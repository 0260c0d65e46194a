// How much each long test does: the one object of rounds and durations that flows and faults read. `npm run
// test:faults` runs the full form, which docs/reliability.md reports; `npm test` and continuous integration
// run the short one. Chosen by the vitest configs, read with `inject("form")`. It must never hold a bound
// that a promise names: a short run promises the same.

export interface Form {
  readonly name: "full" | "short";
  /** Appends of 64 writers to one chain. */
  readonly chain: { readonly appends: number };
  /** Generated events that must verify. */
  readonly noFalseAlarm: { readonly events: number };
  readonly rateLimit: { readonly bursts: number };
  readonly revocation: { readonly revocations: number };
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
    chain: { appends: 20_000 },
    noFalseAlarm: { events: 100_000 },
    rateLimit: { bursts: 20 },
    revocation: { revocations: 200 },
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
    chain: { appends: 5_000 },
    noFalseAlarm: { events: 20_000 },
    rateLimit: { bursts: 4 },
    revocation: { revocations: 40 },
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
