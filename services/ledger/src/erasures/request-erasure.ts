// Asks for the erasure of parts of the events that are stored now (docs/lifecycle.md). It is executed after a
// delay, by worker/erasures.ts. Called by rpc/create-erasure.ts for an account, and by commands/ for the
// operator. The lock of the head keeps two requests from exceeding the limit, and a hold from being placed
// between the check of an event and the request.

import { type Clock, newId } from "@annals/contract";
import { internal, invalid } from "@annals/errors";
import { canonicalJson, erasedParts } from "@annals/event";
import { countDailyUse, type Database, type Pool } from "@annals/postgres";
import { lockedHead } from "../append/locked-chain.ts";
import {
  type AskedErasure,
  checkErasure,
  type CheckedErasure,
  MAX_EVENTS,
  numberOf,
  requireFewOpen,
  type Selector,
  selectorMember,
  selectorText,
} from "./rules/erasure.ts";
import { isRecord, type RecordActor } from "../append/rules/record-events.ts";
import { isMoreThan } from "../search/find-selected.ts";
import { AUDIT } from "../store/audit.ts";
import { DAILY_USE } from "./store/daily-use.ts";
import { listErasable } from "./store/erase.ts";
import { countOpenErasures, createErasure, type ErasureRow, getErasure } from "./store/erasures.ts";
import { listDeletedMatches } from "./store/erasure-matches.ts";
import { getEvent } from "../store/get-event.ts";
import { getLifecycle } from "../store/lifecycles.ts";
import { lockHead } from "../store/lock-head.ts";

const NO_EVENT = "no event has this id";

interface RequestDeps {
  readonly clock: Clock;
  /** The pool of the account. */
  readonly database: Pool;
  readonly erasureDelayHours: number;
  /** How many the account may ask for in a day. Absent for the operator, whose requests do not count. */
  readonly maxPerDay?: number;
  readonly random: (size: number) => Uint8Array;
  /** Runs the statements that count what is selected. */
  readonly searches: Database;
}

interface ErasureRequest {
  readonly accountId: string;
  readonly actor: RecordActor;
  readonly asked: AskedErasure;
}

/**
 * Throws `invalid`, which names the first member at fault, `plan_count_exceeded` and `plan_quota_exceeded`.
 */
export async function requestErasure(
  { clock, database, erasureDelayHours, maxPerDay, random, searches }: RequestDeps,
  { accountId, actor, asked }: ErasureRequest,
): Promise<ErasureRow> {
  const erasure = checkErasure(asked);
  const { parts, reference, selector } = erasure;
  await requireFewOpenOf(database, accountId);
  await requireFewEvents(searches, accountId, selector);
  const id = newId("era", random);
  const occurredAt = clock.nowText();
  const row = await database.transaction(async (transaction) => {
    const { sequence } = await lockedHead(transaction, accountId, lockHead);
    await requireFewOpenOf(transaction, accountId);
    await requireErasable(transaction, accountId, erasure);
    if (maxPerDay !== undefined) {
      const counted = { accountId, amount: 1, limit: maxPerDay, what: "requested erasures" };
      await countDailyUse(transaction, DAILY_USE, counted);
    }
    const given = [accountId, id, selectorText(selector), parts, reference ?? null] as const;
    const upTo = [canonicalJson({ ...actor }), String(sequence)] as const;
    await transaction.run(createErasure, [...given, ...upTo, erasureDelayHours, occurredAt]);
    await AUDIT.add(transaction, {
      accountId,
      action: "annals.erasure.requested",
      actor,
      target: { type: "erasure", id },
      // Not the value, which may be personal data.
      metadata: {
        selector: selectorMember(selector),
        parts: erasedParts(parts),
        up_to_sequence: sequence,
      },
      occurredAt,
    });
    const [created] = await transaction.run(getErasure, [accountId, id]);
    return created;
  });
  if (!row) throw internal("the stored erasure was not returned");
  return row;
}

async function requireFewOpenOf(database: Database, accountId: string): Promise<void> {
  const [count] = await database.run(countOpenErasures, [accountId]);
  requireFewOpen(count?.open ?? 0);
}

async function requireFewEvents(
  database: Database,
  accountId: string,
  selector: Selector,
): Promise<void> {
  if (selector.eventId !== undefined) return;
  if (await isMoreThan(database, { accountId, selector }, MAX_EVENTS)) {
    const message = `selects more than ${MAX_EVENTS} events, which is the limit of an erasure`;
    throw invalid({ field: selectorMember(selector), message });
  }
}

/**
 * A single event must be one that can be erased: of a deleted one only its number is known here, and archives
 * are compared with the id later. Of several events, those that a hold covers are counted later.
 */
async function requireErasable(
  transaction: Database,
  accountId: string,
  { parts, selector }: CheckedErasure,
): Promise<void> {
  const { eventId } = selector;
  if (eventId === undefined) return;
  const refuse = (message: string) => invalid({ field: "event_id", message });
  const number = numberOf(selector);
  if (number === undefined) throw refuse(NO_EVENT);
  const [event] = await transaction.run(getEvent, [accountId, String(number)]);
  if (event ? event.id !== eventId : !(await isArchived(transaction, accountId, number)))
    throw refuse(NO_EVENT);
  if (event && isRecord(event.action)) throw refuse("records of the service cannot be erased");
  const [found] = event
    ? await transaction.run(listErasable, [accountId, [number], parts, null, null])
    : await transaction.run(listDeletedMatches, [accountId, [number]]);
  const hold = found?.hold ?? null;
  if (hold !== null) throw refuse(`the hold ${hold} covers this event`);
}

/** Whether retention has deleted the event, and archives had it. */
async function isArchived(
  transaction: Database,
  accountId: string,
  number: number,
): Promise<boolean> {
  const [row] = await transaction.run(getLifecycle, [accountId]);
  return number <= Math.min(Number(row?.deleted_through), Number(row?.archived_through));
}
