// Fixtures of erasures that wait for the export service, in accounts with events that retention has deleted.
// Imported by tests only.

import { systemClock } from "@annals/contract";
import type { Selector } from "../erasures/rules/erasure.ts";
import { openErasures } from "./erasure-fixtures.ts";
import type { AtEnd } from "./database.ts";
import type { LifecycleFixtures } from "./lifecycle-fixtures.ts";
import { openLedger, type TestLedger } from "./test-ledger.ts";

/** Events of a chain, and those of them that are deleted: all but leaves of 513 to 600. */
export const EVENTS = 612;
export const DELETED = 600;

const BOTH = { exports: true, webhooks: true };

export interface Waiting {
  readonly accountId: string;
  readonly id: string;
}

export type MatchFixtures = ReturnType<typeof openMatches>;

export function openMatches(world: LifecycleFixtures) {
  const erasures = openErasures(world);
  const erase = async (atEnd?: AtEnd) => {
    await erasures.newReplica(() => {}, BOTH, atEnd).pass();
  };
  return {
    ask: (accountId: string, selector: Selector) => erasures.ask(accountId, selector),
    /** A replica that waits for no copies. */
    newReplica: () => erasures.newReplica(),
    request: erasures.request,
    /** Erases stored events, and completes what is confirmed. */
    erase,
    /** An erasure of `u_1` that waits for the export service. */
    waiting: async (atEnd?: AtEnd): Promise<Waiting> => {
      const accountId = await world.newChain(EVENTS);
      await world.deleteThrough(accountId, DELETED);
      const id = await erasures.ask(accountId, { actorId: "u_1" });
      await erase(atEnd);
      return { accountId, id };
    },
    report: async (
      { accountId, id }: Waiting,
      sequences: readonly number[],
      through = 0,
      ledger: Pick<TestLedger, "client"> = openLedger(world.owner, systemClock()),
    ) => {
      const numbers = sequences.map(BigInt);
      const request = { accountId, erasureId: id, sequences: numbers, through: BigInt(through) };
      await ledger.client.reportErasureMatches(request);
    },
    recorded: async ({ accountId }: Waiting) =>
      (await erasures.recordedAndErased(accountId)).records,
  };
}
