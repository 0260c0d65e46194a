// Deletes the archives of an account whose time is over, but for those with an event that a hold may cover.
// Called by archives.ts. A piece that ends leaves the lists before the ledger is asked for holds. So a hold
// that was placed while it was in a list keeps it, and one that is placed later finds it in none. It must
// never delete a file before that answer is stored: a worker that was paused may have an old one.

import type { LedgerService, Lifecycle } from "@annals/proto/ledger";
import type { Client } from "@connectrpc/connect";
import { monthEnd } from "../rules/archive.ts";
import {
  type ArchiveRow,
  type ArchiveStatus,
  listEnding,
  markArchive,
  releaseArchive,
  takeArchive,
} from "../store/archives.ts";
import { AUDIT } from "../../store/audit.ts";
import { withArchive } from "./archive-lease.ts";
import { dropArchive } from "./drop-archive.ts";
import { eachPiece } from "./each-piece.ts";
import { LeaseLost } from "../../exports/lease.ts";
import type { SettleDeps } from "../settle-archives.ts";

export interface EndDeps extends SettleDeps {
  readonly ledger: SettleDeps["ledger"] & Pick<Client<typeof LedgerService>, "listLifecycles">;
}

const MS_PER_DAY = 86_400_000;
const MONTH_LENGTH = "2026-01".length;

export async function endArchives(
  deps: EndDeps,
  lifecycle: Lifecycle,
  signal: AbortSignal,
): Promise<void> {
  const { accountId } = lifecycle;
  const database = deps.database.forAccount(accountId, signal);
  const over = [monthOfOldest(deps, lifecycle), String(lastFree(lifecycle))] as const;
  const list = (afterFrom: string, limit: number) =>
    database.run(listEnding, [accountId, ...over, afterFrom, limit]);
  for await (const row of eachPiece(list, signal)) await end(deps, row, signal);
}

/** The month of the moment from which archives are kept: those of earlier months are over. */
function monthOfOldest({ clock }: EndDeps, { archiveDays }: Lifecycle): string {
  if (archiveDays === undefined) return "";
  const oldestMs = clock.nowMicros() / 1_000 - archiveDays * MS_PER_DAY;
  return new Date(oldestMs).toISOString().slice(0, MONTH_LENGTH);
}

/** The last event of which the archive may end: the ledger knows of the archive, and no hold covers it. */
function lastFree({ archivedThrough, heldFrom }: Lifecycle): bigint {
  return heldFrom !== undefined && heldFrom <= archivedThrough ? heldFrom - 1n : archivedThrough;
}

async function end(deps: EndDeps, row: ArchiveRow, signal: AbortSignal): Promise<void> {
  const { account_id: accountId, from_sequence: from, status } = row;
  const database = deps.database.forAccount(accountId);
  const [taken] = await database.run(takeArchive, [accountId, from, status, deps.leaseMs]);
  if (!taken) return;
  await withArchive(deps, taken, signal, async (within) => {
    if (taken.status === "completed") await mark(deps, taken, "ending");
    if (taken.status !== "ended" && !(await isToEnd(deps, taken, within))) {
      await mark(deps, taken, "completed");
      await database.run(releaseArchive, [accountId, from, taken.lease_token, 0]);
      return;
    }
    if (taken.status !== "ended") await mark(deps, taken, "ended");
    await drop(deps, taken);
  });
}

/** Throws if another replica has the piece: it may have had another answer. */
async function mark(deps: EndDeps, row: ArchiveRow, status: ArchiveStatus): Promise<void> {
  const { account_id: accountId, from_sequence: from, lease_token: token } = row;
  const database = deps.database.forAccount(accountId);
  const [marked] = await database.run(markArchive, [accountId, from, token, status]);
  if (!marked) throw new LeaseLost("another replica holds the archive");
}

/** Asks the ledger. A hold that was placed before is in its answer. */
async function isToEnd(
  { clock, ledger }: EndDeps,
  row: ArchiveRow,
  signal: AbortSignal,
): Promise<boolean> {
  const { account_id: accountId, month, to_sequence: to } = row;
  const { lifecycles } = await ledger.listLifecycles({ accountId, limit: 1 }, { signal });
  const [lifecycle] = lifecycles;
  if (lifecycle?.archiveDays === undefined || BigInt(to) > lastFree(lifecycle)) return false;
  return clock.nowMicros() / 1_000 >= monthEnd(month) + lifecycle.archiveDays * MS_PER_DAY;
}

function drop(deps: EndDeps, row: ArchiveRow): Promise<void> {
  const { account_id: accountId, id } = row;
  return dropArchive(deps, row, (transaction) =>
    AUDIT.add(transaction, {
      accountId,
      action: "annals.archive.deleted",
      actor: { type: "service", id: "export" },
      target: { type: "archive", id },
      occurredAt: deps.clock.nowText(),
    }),
  );
}
