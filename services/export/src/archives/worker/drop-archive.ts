// Deletes a piece of an archive: its files, then its row. Called for one whose events are read anew, and for
// one whose time is over. Call it with the lease of the row.

import type { Database, Pool } from "@annals/postgres";
import type { Storage } from "../../storage/storage.ts";
import { type ArchiveRow, removeArchive } from "../store/archives.ts";
import { LeaseLost } from "../../exports/lease.ts";
import { removeFiles } from "./write-archive.ts";

interface Deps {
  readonly database: Pool;
  readonly storage: Storage;
}

/** `record` runs in the transaction that deletes the row. */
export async function dropArchive(
  { database, storage }: Deps,
  row: ArchiveRow,
  record: (transaction: Database) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const { account_id: accountId, from_sequence: from, lease_token: token } = row;
  await removeFiles(storage, row, { before: BigInt(token) + 1n });
  await database.forAccount(accountId).transaction(async (transaction) => {
    const [removed] = await transaction.run(removeArchive, [accountId, from, token]);
    if (!removed) throw new LeaseLost("another replica holds the archive");
    await record(transaction);
  });
}
