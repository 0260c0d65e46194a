// What a row of audit-changes.ts is. Read by it and by audit-sink-changes.ts.

import type { Answer, HttpClient } from "@annals/testing";

/** What earlier rows have made, by their routes. */
export type Made = Map<string, string>;

export interface Change {
  /** The name in v1.ts. */
  readonly route: string;
  /** Undefined for events and holds, which the account's own chain records: with the id of the key. */
  readonly action?: string;
  /** Makes one change and resolves to its answer and to the id of what was changed. */
  readonly make: (
    client: HttpClient,
    made: Made,
    databaseUrl: string,
  ) => Promise<readonly [Answer, id: string]>;
}
