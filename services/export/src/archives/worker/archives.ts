// Archives what retention deletes: after the end of each UTC month its events, once a served epoch covers
// them, in pieces (docs/lifecycle.md#archives). Started by serve.ts. Any number of replicas may do it: a
// lease gives each piece to one of them. It must never confirm a piece to the ledger before both files are
// durable, because retention then deletes its events.

import { AccountWork, type Counter, type Logger, type Loop, startLoop } from "@annals/chassis";
import { newId } from "@annals/contract";
import { AnnalsError } from "@annals/errors";
import type { ArchiveRange, LedgerService, Lifecycle } from "@annals/proto/ledger";
import { parseCheckpoint, parseNote } from "@annals/tlog";
import type { Client } from "@connectrpc/connect";
import { monthEnd } from "../rules/archive.ts";
import type { Metrics } from "../../metrics.ts";
import { LostEvents } from "../../outbound/read-events.ts";
import { type ArchiveRow, createArchive, getArchiveAt, takeArchive } from "../store/archives.ts";
import { withArchive } from "./archive-lease.ts";
import { dropArchive } from "./drop-archive.ts";
import { type EndDeps, endArchives } from "./end-archives.ts";
import { falseUntilCovered, type SettleDeps, settleArchives } from "../settle-archives.ts";
import { readPiece } from "./read-piece.ts";
import { bundleOf, writeArchive } from "./write-archive.ts";

export interface ArchivesDeps extends EndDeps {
  readonly failures: Counter<"worker">;
  readonly ledger: EndDeps["ledger"] & Pick<Client<typeof LedgerService>, "confirmArchive">;
  readonly log: Logger;
  readonly metrics: SettleDeps["metrics"] & Pick<Metrics, "archiveLag">;
  readonly random: (size: number) => Uint8Array;
}

/** Time from the end of a pass to the beginning of the next, unless a piece was written. */
const DELAY_MS = 600_000;
/** The ledger may start at the same time. */
const INITIAL_DELAY_MS = 10_000;
/** Accounts of one call. */
const ACCOUNTS = 100;

export function startArchives(deps: ArchivesDeps): Loop {
  const archives = new Archives(deps);
  return startLoop({
    name: "archives",
    log: deps.log,
    failures: deps.failures,
    delayMs: DELAY_MS,
    initialDelayMs: INITIAL_DELAY_MS,
    run: (signal) => archives.run(signal),
  });
}

export class Archives {
  readonly #deps: ArchivesDeps;
  readonly #work: AccountWork;

  constructor(deps: ArchivesDeps) {
    this.#deps = deps;
    this.#work = new AccountWork(deps.log, "archives");
  }

  /** Writes a piece of each account that has one to write. Resolves to the delay before the next pass. */
  async run(signal: AbortSignal): Promise<number> {
    const { ledger, metrics } = this.#deps;
    const run = this.#work.begin(signal);
    let [lagS, isBehind] = [0, false];
    let listed: readonly Lifecycle[] = [];
    do {
      const afterAccountId = listed.at(-1)?.accountId ?? "";
      const page = await ledger.listLifecycles({ afterAccountId, limit: ACCOUNTS }, { signal });
      listed = page.lifecycles;
      const rows = listed.map((lifecycle) => ({ account_id: lifecycle.accountId, lifecycle }));
      await run.each(rows, async ({ lifecycle }) => {
        lagS = Math.max(lagS, this.#lagOf(lifecycle));
        await endArchives(this.#deps, lifecycle, signal);
        if (await this.#archiveNext(lifecycle, signal)) isBehind = true;
      });
      if (signal.aborted) return 0;
    } while (listed.length === ACCOUNTS);
    metrics.archiveLag.set(lagS);
    run.end();
    return isBehind ? 0 : DELAY_MS;
  }

  /** Seconds since the end of the month that is to be archived next. */
  #lagOf({ next }: Lifecycle): number {
    return next ? Math.max(0, this.#nowMs() - monthEnd(next.month)) / 1_000 : 0;
  }

  #nowMs(): number {
    return this.#deps.clock.nowMicros() / 1_000;
  }

  /** Resolves to whether a piece was archived: another may follow. */
  async #archiveNext(lifecycle: Lifecycle, signal: AbortSignal): Promise<boolean> {
    const { ledger } = this.#deps;
    const { accountId, archivedThrough, next } = lifecycle;
    if (next?.isCovered !== true) return false;
    const row = await this.#pieceAt(accountId, next, signal);
    if (row === undefined) return false;
    const isWritten = row.status === "completed" || (await this.#write(row, signal));
    if (!isWritten) return false;
    const toSequence = BigInt(row.to_sequence);
    await ledger.confirmArchive({ accountId, archivedThrough, toSequence }, { signal });
    return true;
  }

  /** The row of the piece, which fixes what is written. */
  async #pieceAt(
    accountId: string,
    { fromSequence, month, toSequence }: ArchiveRange,
    signal: AbortSignal,
  ): Promise<ArchiveRow | undefined> {
    const { clock, ledger, random } = this.#deps;
    const database = this.#deps.database.forAccount(accountId, signal);
    const place = [accountId, String(fromSequence)] as const;
    const [known] = await database.run(getArchiveAt, [...place]);
    if (known) return known;
    const { checkpoint } = await ledger.readCheckpoint({ accountId }, { signal });
    const { root, size } = parseCheckpoint(parseNote(checkpoint).text);
    if (BigInt(size) < toSequence) return undefined;
    const head = [String(size), root.toString("hex")] as const;
    const id = newId("arc", random);
    await database.run(createArchive, [
      ...place,
      String(toSequence),
      id,
      month,
      ...head,
      clock.nowText(),
    ]);
    const [created] = await database.run(getArchiveAt, [...place]);
    return created;
  }

  /** Resolves to whether the piece is written. If not, another replica has it, or it is made anew. */
  async #write(row: ArchiveRow, signal: AbortSignal): Promise<boolean> {
    const { leaseMs, log } = this.#deps;
    const { account_id: accountId, from_sequence: from } = row;
    // Retention may delete records of erasures among these events once they are archived.
    const through = BigInt(row.to_sequence);
    if (!(await settleArchives(this.#deps, { accountId, through }, signal))) return false;
    const database = this.#deps.database.forAccount(accountId, signal);
    const [taken] = await database.run(takeArchive, [accountId, from, "writing", leaseMs]);
    if (!taken) return false;
    const work = async (within: AbortSignal) => {
      try {
        await this.#writeFiles(taken, within);
      } catch (error) {
        const isGone = error instanceof AnnalsError && error.kind === "not_found";
        if (!(error instanceof LostEvents) && !isGone) throw error;
        // Retention was ahead while archives were off, or the log no longer proves this head.
        log.warn({ archive_id: taken.id, err: error }, "archive begun anew");
        await dropArchive(this.#deps, taken);
        return false;
      }
      const fields = { archive_id: taken.id, month: taken.month };
      log.info(fields, "archive written");
      return true;
    };
    return withArchive(this.#deps, taken, signal, work).catch(falseUntilCovered);
  }

  async #writeFiles(row: ArchiveRow, signal: AbortSignal): Promise<void> {
    const job = bundleOf(row);
    const events = readPiece(this.#deps.ledger, row, signal);
    const recordsThrough = BigInt(row.head_sequence);
    await writeArchive(this.#deps, row, { events, job, recordsThrough }, signal);
  }
}
