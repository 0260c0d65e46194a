// What cannot be the same after a statement that was run twice: the clock and chance. Called by
// comparison.ts. Every column that is not named here is compared to the byte.

/** Columns of tables that may hold the moment of a statement. The times of seeds are equal in them, too. */
export const MOMENTS: ReadonlySet<string> = new Set([
  "exports.archives.due_at",
  "exports.audit_outbox.created_at",
  "exports.jobs.due_at",
  "exports.jobs.taken_at",
  "ledger.audit_outbox.created_at",
  "ledger.epochs.quorum_at",
  "ledger.erasures.begins_at",
  "ledger.erasures.done_at",
  "ledger.erasures.due_at",
  "ledger.erasures.exports_cleared_at",
  "ledger.erasures.vacuumed_at",
  "ledger.erasures.webhooks_cleared_at",
  "ledger.idempotency_keys.created_at",
  "ledger.idempotent_requests.created_at",
  "ledger.lifecycles.checked_at",
  "ledger.lifecycles.leased_until",
  "ledger.logs.closer_until",
  "ledger.verifications.due_at",
  "ledger.verifications.verified_at",
  "webhooks.anchors.due_at",
  "webhooks.anchors.failing_since",
  "webhooks.audit_outbox.created_at",
  "webhooks.deliveries.attempted_at",
  "webhooks.deliveries.created_at",
  "webhooks.deliveries.due_at",
  "webhooks.deliveries.leased_until",
  "webhooks.drops.last_at",
  "webhooks.idempotent_requests.created_at",
  "webhooks.sink_tests.until",
  "webhooks.sinks.checkpoint_at",
  "webhooks.sinks.due_at",
  "webhooks.sinks.failing_since",
  "webhooks.sinks.last_delivered_at",
  "webhooks.sinks.leased_until",
  "webhooks.webhooks.disabled_at",
  "webhooks.webhooks.failing_since",
  "webhooks.webhooks.first_success_at",
  "webhooks.webhooks.previous_secret_until",
]);

/** Columns of tables that hold a random id. */
export const RANDOM: ReadonlySet<string> = new Set([
  "exports.audit_outbox.id",
  "ledger.audit_outbox.id",
  // The number of a transaction.
  "ledger.erasures.last_xid",
  "webhooks.audit_outbox.id",
]);

/** Columns of returned rows that hold a number of seconds until the moment of the statement. */
export const AGES: ReadonlySet<string> = new Set([
  "age_s",
  "failing_longest_s",
  "late_s",
  "oldest_due_s",
  "oldest_s",
  "overdue_s",
  "unvacuumed_s",
  "vacuumed_s",
]);

/** Columns of returned rows with an array in any order. */
export const UNORDERED: ReadonlySet<string> = new Set(["drained_ids", "places"]);

/** The same statement is run on both databases within this time. Leases of the cases are much longer. */
const WITHIN_MS = 60_000;

/** Whether two values are of the moments of the same statement, or equal. Null is equal to null alone. */
export function areSameMoment(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (one === null || other === null) return false;
  return Math.abs(momentOf(one) - momentOf(other)) < WITHIN_MS;
}

/** A time, or a number of seconds, in milliseconds. */
function momentOf(value: unknown): number {
  return typeof value === "number" ? value * 1_000 : Date.parse(String(value));
}
