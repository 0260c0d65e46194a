// What `inject` of vitest gives to a test. `stack` is the one small stack of the whole test run. Provided by
// the run's global setup; a test must not kill or restart any part of it. The vitest configs provide how much
// work a unit test with two forms does (test/form.ts).

/** The interface that is extended below. */
export type { ProvidedContext } from "vitest";

export interface SharedStack {
  /** Without /v1. */
  readonly baseUrl: string;
  /** Of the database's owner. */
  readonly databaseUrl: string;
  readonly natsUrl: string;
  /** Folder of the files of exports. */
  readonly exportDirectory: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    readonly stack: SharedStack;
    /** Random queries of each step of the search test. */
    readonly searches: number;
    /** Rounds in which a ledger is killed. */
    readonly lifecycleKills: number;
  }
}
