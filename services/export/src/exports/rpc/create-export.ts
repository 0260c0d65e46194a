// CreateExport: queues an export whose range ends at the present head of the chain. What is appended later
// is not part of it, whenever the file is written. A request for an export that already exists
// gets that export, because a new one would have the same events.

import { GENESIS_HASH } from "@annals/event";
import { type Clock, DEFAULT_EVENTS_PER_DAY, type ExportFormat, newId } from "@annals/contract";
import { AnnalsError, complete, internal, invalid } from "@annals/errors";
import { countDailyUse, type Database, parameterBytes, type Pool } from "@annals/postgres";
import type { CreateExportRequest, ExportsService } from "@annals/proto/exports";
import { type EventFilter, EventFilterSchema, type LedgerService } from "@annals/proto/ledger";
import { create, toBinary } from "@bufbuild/protobuf";
import { actorOf, admissionOf } from "@annals/rpc";
import { parseCheckpoint, parseNote } from "@annals/tlog";
import type { Client, ServiceImpl } from "@connectrpc/connect";
import { checkLimits, countedEvents, type ExportLimits, limitsOf } from "../rules/export-limits.ts";
import { AUDIT } from "../../store/audit.ts";
import { countJobs } from "../../store/count-jobs.ts";
import { findEqualJob } from "../store/find-equal-job.ts";
import { createJob } from "../store/create-job.ts";
import { DAILY_USE } from "../../store/daily-use.ts";
import { lockAccount } from "../store/lock-account.ts";
import { formatName } from "./export-enums.ts";
import { renderExport } from "./render-export.ts";

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly ledger: Pick<Client<typeof LedgerService>, "listEvents" | "readCheckpoint">;
  readonly random: (size: number) => Uint8Array;
  readonly limits: ExportLimits;
  readonly wake: (jobId: string) => void;
}

export function createExport(deps: Deps): ServiceImpl<typeof ExportsService>["createExport"] {
  return async ({ accountId, format, filter, filterJson, includeProofs: asked }, context) => {
    const actor = actorOf(context);
    const { eventsExportedPerDay, maxExportBytes } = admissionOf(context) ?? {};
    complete({ account_id: accountId });
    const name = formatName(format);
    if (name === undefined) throw invalid({ field: "format", message: "is required" });
    const includeProofs = asked || name === "evidence";
    const { bounded, head } = await rangeOf(deps, name, { accountId, filter }, context.signal);
    const id = newId("exp", deps.random);
    const occurredAt = deps.clock.nowText();
    const job = [
      accountId,
      id,
      name,
      includeProofs,
      filterJson || "{}",
      toBinary(EventFilterSchema, bounded),
      String(head.sequence),
      head.hash,
      occurredAt,
      actor.id ?? null,
      maxExportBytes === undefined ? null : String(maxExportBytes),
    ] as const;
    const [, , , , filterText, selected, headSequence, headHash] = job;
    const of = [accountId, name, includeProofs, filterText] as const;
    const same = [...of, headSequence, headHash, selected] as const;
    const database = deps.database.forAccount(accountId, context.signal);
    const queue = async (transaction: Database) => {
      await transaction.run(lockAccount, [accountId]);
      const equal = await transaction.run(findEqualJob, [...same]);
      if (equal.length > 0) return equal;
      const [has] = await transaction.run(countJobs, [accountId]);
      checkLimits(limitsOf(deps.limits, maxExportBytes), {
        bytes: Number(has?.bytes ?? 0),
        underWay: has?.under_way ?? 0,
        kept: has?.kept ?? 0,
      });
      await countEvents(transaction, accountId, bounded, eventsExportedPerDay);
      await AUDIT.add(transaction, {
        accountId,
        action: "annals.export.created",
        actor,
        target: { type: "export", id },
        // Not the filter: its values may be personal data.
        metadata: {
          format: name,
          include_proofs: includeProofs,
          head_sequence: String(head.sequence),
        },
        occurredAt,
      });
      return transaction.run(createJob, [...job]);
    };
    const [row] = await database.transaction(queue, () => parameterBytes(job));
    if (!row) throw internal("the stored job was not returned");
    if (row.status === "pending") deps.wake(row.id);
    return { export: renderExport(row) };
  };
}

/** Counts the events of the range in their day. */
function countEvents(
  transaction: Database,
  accountId: string,
  range: EventFilter,
  limit: bigint | number = DEFAULT_EVENTS_PER_DAY,
): Promise<void> {
  const counted = { accountId, amount: countedEvents(range), limit, what: "exported events" };
  return countDailyUse(transaction, DAILY_USE, counted);
}

/** The filter with an end, and the head that it ends at. */
async function rangeOf(
  deps: Deps,
  format: ExportFormat,
  { accountId, filter }: Pick<CreateExportRequest, "accountId" | "filter">,
  signal: AbortSignal,
) {
  const isEvidence = format === "evidence";
  const head = await (isEvidence ? readCoveredHead : readHead)(deps, accountId, signal);
  const bounded = boundedBy(filter ?? create(EventFilterSchema), head);
  if (isEvidence) checkRange(bounded);
  return { bounded, head };
}

/** Sequence number and hash of the last event. A chain is appended in order, so all others are below. */
async function readHead({ ledger }: Deps, accountId: string, signal: AbortSignal) {
  const { events, retainedFrom } = await ledger.listEvents({ accountId, limit: 1 }, { signal });
  const [last] = events;
  return last
    ? { sequence: last.sequenceNumber, hash: last.hash, retainedFrom }
    : { sequence: 0n, hash: GENESIS_HASH, retainedFrom };
}

/** Size and root of the account's tree in the newest served epoch. */
async function readCoveredHead(deps: Deps, accountId: string, signal: AbortSignal) {
  const { ledger } = deps;
  const { retainedFrom } = await readHead(deps, accountId, signal);
  const { checkpoint } = await ledger.readCheckpoint({ accountId }, { signal }).catch((error) => {
    if (!(error instanceof AnnalsError) || error.kind !== "not_found") throw error;
    const message = "no epoch of the log covers an event of this account yet";
    throw invalid({ field: "format", message });
  });
  const { root, size } = parseCheckpoint(parseNote(checkpoint).text);
  return { sequence: BigInt(size), hash: root.toString("hex"), retainedFrom };
}

/** A bundle without an event proves nothing. */
function checkRange({ afterSequence = 0n, beforeSequence = 0n }: EventFilter): void {
  if (afterSequence + 1n >= beforeSequence)
    throw invalid({ field: "filter", message: "the log covers no event of this range" });
}

/** The range begins where retention has left events, and ends at the head. */
function boundedBy(
  filter: EventFilter,
  {
    retainedFrom = 1n,
    sequence,
  }: { readonly retainedFrom?: bigint | undefined; readonly sequence: bigint },
): EventFilter {
  const { afterSequence = 0n, beforeSequence } = filter;
  const end = sequence + 1n;
  const before = retainedFrom - 1n;
  return {
    ...filter,
    ...(afterSequence < before && { afterSequence: before }),
    beforeSequence: beforeSequence !== undefined && beforeSequence < end ? beforeSequence : end,
  };
}
