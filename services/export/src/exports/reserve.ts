// Reserves the bytes of a file before they are written, so that all files of an account stay below its bound
// whatever runs at the same time. Called by write-export.ts for each attempt.

import type { Pool } from "@annals/postgres";
import { lockAccount } from "./store/lock-account.ts";
import { reserveBytes } from "./store/reserve-bytes.ts";
import { sumOtherBytes } from "./store/sum-other-bytes.ts";
import type { TakenRow } from "./store/take-job.ts";
import { LeaseLost } from "./lease.ts";

/** The files that the account keeps leave no room for this one: another attempt would fail, too. */
export class NoRoom extends Error {
  override readonly name = "NoRoom";
}

/** The account has room for the file, but its exports that are not finished have reserved it. */
export class RoomReserved extends Error {
  override readonly name = "RoomReserved";
}

export interface ReserveDeps {
  readonly database: Pool;
  /** The limit if the plan of the account sets none. */
  readonly maxBytesPerAccount: number;
}

/**
 * Bounds of what is reserved beyond the bytes that are needed: as much again, within these bounds, if the
 * account has the room. A statement for each write would be too many, and a small file should not take the
 * room of another one.
 */
const MIN_STEP_BYTES = 64 * 1024;
const MAX_STEP_BYTES = 4 * 1024 * 1024;

/**
 * Returns a function that resolves when `bytes` are reserved for the file. It rejects with {@link NoRoom} or
 * {@link RoomReserved}.
 */
export function reservation(
  { database, maxBytesPerAccount }: ReserveDeps,
  job: TakenRow,
): (bytes: number) => Promise<void> {
  const { account_id: accountId, id, lease_token: leaseToken } = job;
  const most = Number(job.max_bytes ?? maxBytesPerAccount);
  let reserved = 0;
  const reserve = (bytes: number): Promise<number> =>
    database.forAccount(accountId).transaction(async (transaction) => {
      await transaction.run(lockAccount, [accountId]);
      const [others] = await transaction.run(sumOtherBytes, [accountId, id]);
      const left = most - Number(others?.kept ?? 0);
      if (bytes > left) {
        throw new NoRoom(`the exports of the account would have more than ${most} bytes`);
      }
      const room = left - Number(others?.unfinished ?? 0);
      if (bytes > room)
        throw new RoomReserved("other exports of the account have reserved the space");
      const ahead = Math.min(MAX_STEP_BYTES, Math.max(MIN_STEP_BYTES, bytes));
      const total = Math.min(room, bytes + ahead);
      const params = [accountId, id, leaseToken, String(total)] as const;
      const [row] = await transaction.run(reserveBytes, [...params]);
      if (!row) throw new LeaseLost("another replica holds the export, or it was deleted");
      return total;
    });
  return async (bytes) => {
    if (bytes > reserved) reserved = await reserve(bytes);
  };
}
