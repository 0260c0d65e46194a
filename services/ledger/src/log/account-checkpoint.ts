// The signed checkpoint of an account's head: signed by keys when it is first asked for, and kept. Called by
// the RPCs of the log.

import { unavailable } from "@annals/errors";
import type { Database } from "@annals/postgres";
import { accountKey, checkpointText, headRecord, splitHashes } from "@annals/tlog";
import { keepCheckpoint } from "./store/account-heads.ts";
import { listMaps } from "./store/epochs.ts";
import { getLog } from "./store/logs.ts";
import { AccountPaths } from "./account-path.ts";
import type { CoveredHead } from "./covered-head.ts";
import { HeadLog } from "./head-log.ts";
import { expectSigned, type LogKeys, signersOf, verifierKeys } from "./log-keys.ts";

/** An epoch may be closed between a proof and its use. */
const ATTEMPTS = 3;

interface Deps {
  readonly database: Database;
  readonly keys: LogKeys;
}

/** Rejects with `unavailable` if keys cannot sign it now. */
export async function accountCheckpoint(
  { database, keys }: Deps,
  accountId: string,
  covered: CoveredHead,
): Promise<string> {
  const { log, root, size } = covered;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const [row] = await database.run(getLog, []);
    if (row?.log !== log) break;
    const own = verifierKeys(row.origin, splitHashes(row.keys)).map((key) =>
      accountKey(key, accountId),
    );
    const kept = covered.checkpoint;
    // A key that has joined since must have signed it too.
    if (kept !== undefined && signersOf(kept, own).length === own.length) return kept;
    const head = { chain: accountId, root, size };
    const from = String(covered.epoch - 1);
    const [map] = await database.run(listMaps, [log, from, String(covered.servedEpoch), 1]);
    if (map === undefined) break;
    const logSize = Number(row.size);
    const { checkpoint } = await keys.signCheckpoint({
      origin: row.origin,
      head: headRecord(head),
      path: [...(await new AccountPaths(database, log, accountId).pathIn(map))],
      entry: map.entry,
      size: BigInt(row.size),
      root: row.root,
      inclusion: await new HeadLog(database, log).proveInclusion(Number(map.epoch) - 1, logSize),
    });
    // After a rotation without overlap the next epoch names the key that signs.
    if (checkpoint === "" || signersOf(checkpoint, own).length === 0) continue;
    const origin = `${row.origin}/${accountId}`;
    expectSigned(checkpoint, checkpointText({ origin, root, size }), own);
    await database.run(keepCheckpoint, [accountId, log, String(covered.epoch), checkpoint]);
    return checkpoint;
  }
  throw unavailable("The checkpoint cannot be signed now. Try again.");
}
