// Who may say what to the audit: for each service, the actions that it records and who may have done them,
// and for all of them when. The services are compiled against it (libs/postgres/src/audit-outbox.ts), the
// ledger refuses what is not in it. A compromised service must never record what another one does,
// nor what the operator does, nor at a time of its choice.

import { AUDIT_COUNTED_ACTION, READ_ACTION } from "./audit.ts";
import { parseTimestamp } from "./timestamps.ts";

export type AuditActorType = "api_key" | "operator" | "service" | "widget_token";

const [KEY, OPERATOR, SERVICE] = [["api_key"], ["operator"], ["service"]] as const;
const KEY_OR_OPERATOR = ["api_key", "operator"] as const;
const KEY_OR_SERVICE = ["api_key", "service"] as const;
const KEY_OR_OPERATOR_OR_SERVICE = ["api_key", "operator", "service"] as const;
const READERS = ["api_key", "widget_token", "service"] as const;

/** The rules of each service, by the name in its certificate. */
export const AUDIT_RULES = {
  keys: {
    "annals.account.created": OPERATOR,
    "annals.account.renamed": OPERATOR,
    "annals.plan.changed": OPERATOR,
    "annals.key.created": KEY_OR_OPERATOR,
    "annals.key.updated": KEY,
    "annals.key.revoked": KEY_OR_OPERATOR,
    "annals.widget_token.created": KEY,
    "annals.widget_token.revoked": KEY,
    "annals.admission.refused": SERVICE,
    [AUDIT_COUNTED_ACTION]: SERVICE,
  },
  gateway: {
    [READ_ACTION]: READERS,
  },
  export: {
    "annals.export.created": KEY,
    "annals.export.downloaded": KEY,
    "annals.export.deleted": KEY_OR_SERVICE,
    "annals.archive.downloaded": KEY,
    "annals.archive.deleted": SERVICE,
    [AUDIT_COUNTED_ACTION]: SERVICE,
  },
  ledger: {
    "annals.erasure.requested": KEY_OR_OPERATOR,
    "annals.erasure.cancelled": KEY_OR_OPERATOR,
    "annals.retention.changed": KEY_OR_OPERATOR,
    [AUDIT_COUNTED_ACTION]: SERVICE,
  },
  "webhook-dispatcher": {
    "annals.webhook.created": KEY,
    "annals.webhook.updated": KEY_OR_SERVICE,
    "annals.webhook.deleted": KEY,
    "annals.webhook.secret_rotated": KEY,
    "annals.webhook.tested": KEY,
    "annals.webhook.replayed": KEY,
    "annals.webhook.disabled": SERVICE,
    "annals.sink.created": KEY,
    "annals.sink.updated": KEY_OR_SERVICE,
    "annals.sink.deleted": KEY,
    "annals.sink.tested": KEY,
    "annals.sink.replayed": KEY_OR_OPERATOR,
    "annals.sink.skipped": KEY_OR_OPERATOR_OR_SERVICE,
    "annals.sink.failing": SERVICE,
    "annals.sink.recovered": SERVICE,
    [AUDIT_COUNTED_ACTION]: SERVICE,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly AuditActorType[]>>>>;

export type AuditService = keyof typeof AUDIT_RULES;
export type AuditAction<Service extends AuditService> = keyof (typeof AUDIT_RULES)[Service] &
  string;

/** What the chain of the account has always, too: events that no sink of the account is sent. */
export const ACCOUNT_ACTIONS: ReadonlySet<unknown> = new Set(["annals.sink.skipped"]);

export const AUDIT_SERVICES = Object.keys(AUDIT_RULES) as AuditService[];

/** Those that call the ledger. It records what it does itself without a call. */
const CALLERS = AUDIT_SERVICES.filter((service) => service !== "ledger");

/** Why an entry is refused, as the label of the metric. */
export const AUDIT_FAULTS = ["action", "actor", "occurred_at", "size", "form"] as const;
export type AuditFault = (typeof AUDIT_FAULTS)[number];

/** Between the time of an entry and now, in either direction. */
const MAX_AWAY_MS = 86_400_000;

interface Said {
  readonly action: string;
  readonly actor: { readonly type?: unknown; readonly id?: unknown };
  readonly occurredAt: string;
}

/**
 * Undefined if `service` may say it at `now`. `unknown`: the call came in plaintext, which proves no caller.
 */
export function auditFault(
  service: AuditService | "unknown",
  { action, actor, occurredAt }: Said,
  now: string,
): AuditFault | undefined {
  const services = service === "unknown" ? CALLERS : [service];
  const rows = services.flatMap((each) => {
    const types = new Map<string, readonly unknown[]>(Object.entries(AUDIT_RULES[each])).get(
      action,
    );
    return types ? [{ service: each, types }] : [];
  });
  if (rows.length === 0) return "action";
  const mayAct = rows.some(
    (row) =>
      row.types.includes(actor.type) && (actor.type !== "service" || actor.id === row.service),
  );
  if (!mayAct) return "actor";
  // An invalid time is refused with the other members.
  if (parseTimestamp(occurredAt) === undefined) return "form";
  const awayMs = Math.abs(Date.parse(occurredAt) - Date.parse(now));
  return awayMs <= MAX_AWAY_MS ? undefined : "occurred_at";
}
