// Erases parts of an event as the ledger does, at once and without a request. Imported by tests of what
// others show of it.

import { recordOf, statementOf, withQueue } from "./append-record.ts";

export interface Erased {
  readonly accountId: string;
  readonly parts: readonly string[];
  readonly sequenceNumber: number;
}

const ERASE = statementOf("erase", 'SELECT ledger.erase($1::text COLLATE "C", $2)');

/** Appends a record and erases what it names, with the rights of the service's role. */
export async function eraseEvent(databaseUrl: string, erased: Erased): Promise<void> {
  const { accountId, parts, sequenceNumber } = erased;
  const metadata = { erasure: "era_1", parts, sequence_numbers: String(sequenceNumber) };
  await withQueue(databaseUrl, async (queue) => {
    await queue.record(accountId, async (transaction) => ({
      record: recordOf({ action: "annals.erasure", actor: { type: "operator" }, metadata }),
      act: async (record) => {
        await transaction.run(ERASE, [accountId, record]);
      },
    }));
  });
}
