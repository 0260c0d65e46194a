// How long an account's events are kept: what its plan says, and what is set for the account
// (docs/lifecycle.md). A longer time is in force at once, a shorter one after a delay, so that a stolen key
// cannot delete what its owner still expects to see.

import { MAX_RETENTION_DAYS } from "@annals/contract";
import { invalid } from "@annals/errors";

/** Days from a change to a shorter time, or to no archives, until it takes effect. */
const SHORTER_AFTER_DAYS = 7;
export const S_PER_DAY = 86_400;

export interface PlanRetention {
  /** The longest time; undefined: any. */
  readonly days: number | undefined;
  /** The shortest time that can be set. */
  readonly minDays: number;
  /** Whether the account may have its events archived. */
  readonly archive?: boolean;
  /** Days after which an archive ends; undefined: never. */
  readonly archiveDays?: number | undefined;
}

/** What is set for an account. Null: nothing, so that of its plan. */
export interface SetRetention {
  readonly days: number | null;
  /** In force until `shorterS`. */
  readonly daysBefore: number | null;
  /** Seconds since 1970; null: `days` is in force. */
  readonly shorterS: number | null;
}

const NOTHING_SET: SetRetention = { days: null, daysBefore: null, shorterS: null };

/** What the row of an account says; undefined: it has none. */
export function settingsOf(
  row:
    | {
        readonly days: number | null;
        readonly days_before: number | null;
        readonly shorter_s: number | null;
      }
    | undefined,
): SetRetention {
  if (!row) return NOTHING_SET;
  return { days: row.days, daysBefore: row.days_before, shorterS: row.shorter_s };
}

interface Effective {
  /** Undefined: no event is deleted. */
  readonly days: number | undefined;
  readonly limitedBy: "account" | "plan" | undefined;
}

/** What is in force at a time. A floor that was raised since the account was set counts. */
export function effectiveRetention(
  plan: PlanRetention,
  set: SetRetention,
  nowS: number,
): Effective {
  return ofPlan(plan, isPending(set, nowS) ? set.daysBefore : set.days);
}

function ofPlan(plan: PlanRetention, set: number | null): Effective {
  const days = set === null ? undefined : Math.max(set, plan.minDays);
  if (days !== undefined && (plan.days === undefined || days < plan.days))
    return { days, limitedBy: "account" };
  return { days: plan.days, limitedBy: plan.days === undefined ? undefined : "plan" };
}

function isPending({ shorterS }: SetRetention, nowS: number): boolean {
  return shorterS !== null && shorterS > nowS;
}

/** What is set once a client has asked for `days`, null: for the time of the plan. */
export function changedRetention(
  plan: PlanRetention,
  set: SetRetention,
  { days, nowS }: { readonly days: number | null; readonly nowS: number },
): SetRetention {
  const most = plan.days ?? Infinity;
  const lengthOf = (one: number | null) => ofPlan(plan, one).days ?? Infinity;
  const inForce = isPending(set, nowS) ? set.daysBefore : set.days;
  if (lengthOf(days) >= Math.min(lengthOf(inForce), most))
    return { days, daysBefore: null, shorterS: null };
  // What is longer than a change that already waits does not wait again.
  if (isPending(set, nowS) && lengthOf(days) >= lengthOf(set.days)) return { ...set, days };
  return { days, daysBefore: inForce, shorterS: nowS + SHORTER_AFTER_DAYS * S_PER_DAY };
}

/** What is set for an account. */
export interface SetArchives {
  readonly archive: boolean;
  /** Without `archive`: seconds since 1970 until which its events are still archived; null: they are not. */
  readonly untilS: number | null;
}

/** What the row of an account says; undefined: it has none. */
export function archivesOf(
  row: { readonly archive: boolean; readonly archive_until_s: number | null } | undefined,
): SetArchives {
  return { archive: row?.archive ?? false, untilS: row?.archive_until_s ?? null };
}

/** Whether events are archived before they are deleted. */
export function isArchiving(
  plan: PlanRetention,
  { archive, untilS }: SetArchives,
  nowS: number,
): boolean {
  return plan.archive === true && (archive || (untilS !== null && untilS > nowS));
}

/** What is set once a client has asked for it. Archives end after a delay, as a shorter time begins. */
export function changedArchives(set: SetArchives, archive: boolean, nowS: number): SetArchives {
  if (archive === set.archive) return set;
  return { archive, untilS: archive ? null : nowS + SHORTER_AFTER_DAYS * S_PER_DAY };
}

/** Throws `invalid` unless the plan allows archives. To end them is always allowed. */
export function checkArchive(plan: PlanRetention, archive: boolean | undefined): void {
  if (archive !== true || plan.archive === true) return;
  throw invalid({ field: "archive", message: "must be false: the plan has no archives" });
}

/** Throws `invalid` unless the plan allows the days. */
export function checkDays(plan: PlanRetention, days: number | undefined): void {
  if (days === undefined) return;
  const most = plan.days ?? MAX_RETENTION_DAYS;
  if (days >= plan.minDays && days <= most) return;
  const longest =
    plan.days === undefined ? `${most}` : `${most}, after which the plan deletes events`;
  const message = `must be from ${plan.minDays}, the shortest time of the plan, to ${longest}; or null`;
  throw invalid({ field: "days", message });
}
