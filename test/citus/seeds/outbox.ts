// Old entries of an outbox, and a last one. Called by the seeds of the schemas that have one.

import { FUTURE, LATER, LONG_AGO } from "../cases/case.ts";
import type { Seeds } from "./seeds.ts";

export function outboxSeeds(accounts: readonly string[], event_name: string): Seeds {
  const times = [LONG_AGO, LONG_AGO, LATER, FUTURE];
  return {
    outbox: accounts.flatMap((account_id) =>
      times.map((created_at, index) => ({
        account_id,
        position: index + 3,
        event_name,
        data: `{"n":${index}}`,
        created_at,
      })),
    ),
    outbox_heads: accounts.map((account_id) => ({ account_id, position: times.length + 2 })),
  };
}
