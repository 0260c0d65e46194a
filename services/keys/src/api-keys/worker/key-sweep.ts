// Marks, in pieces, expired keys as revoked, and deletes revoked keys beyond their retention, expired
// widget tokens, and the rate windows of keys and tokens that were not used for a day. Any number of
// replicas may do it at once. It must never delete a key that could become valid again, or a token that
// is valid.

import { type Counter, inPieces, type Logger, type Loop, startLoop } from "@annals/chassis";
import { type DatabaseClock, formatMicros } from "@annals/contract";
import type { Database } from "@annals/postgres";
import { deleteExpiredKey } from "../store/delete-expired-key.ts";
import { deleteExpiredWidgetToken } from "../store/delete-expired-widget-token.ts";
import { deleteIdleWindow } from "../store/delete-idle-window.ts";
import { listExpiredKeys } from "../store/list-expired-keys.ts";
import { listExpiredWidgetTokens } from "../store/list-expired-widget-tokens.ts";
import { listIdleWindows } from "../store/list-idle-windows.ts";
import { revokeExpiredKeys } from "../store/revoke-expired-keys.ts";

export interface KeySweepDeps {
  readonly clock: DatabaseClock;
  readonly database: Database;
  readonly swept: Pick<Counter<"kind">, "inc">;
  /** 0: revoked keys are kept. */
  readonly retentionDays: number;
}

const INTERVAL_MS = 600_000;
/** Rows of one statement. */
const PIECE = 500;
const MICROS_PER_DAY = 86_400_000_000;
/** The clock of the database, by which a key or a token expires, may be behind. */
const GRACE_MICROS = 3_600_000_000;

export function startKeySweep(
  deps: KeySweepDeps & { readonly log: Logger; readonly failures: Counter<"worker"> },
): Loop {
  return startLoop({
    name: "key_sweep",
    log: deps.log,
    failures: deps.failures,
    delayMs: INTERVAL_MS,
    run: (signal) => sweepKeys(deps, signal),
  });
}

/** Deletes all that is due now. Ends early when the signal is aborted. */
export async function sweepKeys(deps: KeySweepDeps, signal?: AbortSignal): Promise<void> {
  await revokeExpired(deps, signal);
  if (deps.retentionDays > 0) await deleteExpiredKeys(deps, signal);
  await deleteExpiredTokens(deps, signal);
  await deleteIdleWindows(deps, signal);
}

async function revokeExpired(
  { clock, database, swept }: KeySweepDeps,
  signal?: AbortSignal,
): Promise<void> {
  const before = formatMicros(clock.nowMicros() - GRACE_MICROS);
  const revokePiece = async (): Promise<number> => {
    const revoked = await database.run(revokeExpiredKeys, [before, PIECE]);
    if (revoked.length > 0) swept.inc({ kind: "expired_keys" }, revoked.length);
    return revoked.length;
  };
  await inPieces(PIECE, revokePiece, signal);
}

async function deleteExpiredKeys(
  { clock, database, retentionDays, swept }: KeySweepDeps,
  signal?: AbortSignal,
): Promise<void> {
  const before = formatMicros(clock.nowMicros() - retentionDays * MICROS_PER_DAY);
  const deletePiece = async (): Promise<number> => {
    const expired = await database.run(listExpiredKeys, [before, PIECE]);
    for (const key of expired) {
      const deleted = await database.run(deleteExpiredKey, [key.account_id, key.id, before]);
      swept.inc({ kind: "revoked_keys" }, deleted.length);
    }
    return expired.length;
  };
  await inPieces(PIECE, deletePiece, signal);
}

async function deleteExpiredTokens(
  { clock, database, swept }: KeySweepDeps,
  signal?: AbortSignal,
): Promise<void> {
  const before = formatMicros(clock.nowMicros() - GRACE_MICROS);
  const deletePiece = async (): Promise<number> => {
    const expired = await database.run(listExpiredWidgetTokens, [before, PIECE]);
    for (const token of expired) {
      const params = [token.account_id, token.id, before] as const;
      const deleted = await database.run(deleteExpiredWidgetToken, [...params]);
      swept.inc({ kind: "widget_tokens" }, deleted.length);
    }
    return expired.length;
  };
  await inPieces(PIECE, deletePiece, signal);
}

async function deleteIdleWindows(
  { database, swept }: KeySweepDeps,
  signal?: AbortSignal,
): Promise<void> {
  let after = { account_id: "", key_id: "" };
  const deletePiece = async (): Promise<number> => {
    const idle = await database.run(listIdleWindows, [after.account_id, after.key_id, PIECE]);
    for (const { account_id: accountId, key_id: keyId } of idle) {
      const deleted = await database.run(deleteIdleWindow, [accountId, keyId]);
      swept.inc({ kind: "rate_windows" }, deleted.length);
    }
    after = idle.at(-1) ?? after;
    return idle.length;
  };
  await inPieces(PIECE, deletePiece, signal);
}
