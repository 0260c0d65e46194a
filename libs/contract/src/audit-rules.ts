// Who may say what to the audit: for each service, the actions that it records and who may have done them,
// and for all of them when. The services are compiled against it (libs/postgres/src/audit-outbox.ts), the
// ledger refuses what is not in it. A compromised service must never record what another one does,
// nor what the operator does, nor at a time of its choice.

import { AUDIT_COUNTED_ACTION, READ_ACTION } from "./audit.ts";
import { parseTimestamp } from "./timestamps.ts";

/** Who calls the interface: by an API key, as a person, or as a workload. */
const CLIENT = ["api_key", "person", "workload"] as const;

export type AuditClientType = (typeof CLIENT)[number];
export type AuditActorType = AuditClientType | "operator" | "service" | "widget_token";

const [OPERATOR, PERSON, SERVICE] = [["operator"], ["person"], ["service"]] as const;
const CLIENT_OR_OPERATOR = [...CLIENT, "operator"] as const;
const CLIENT_OR_SERVICE = [...CLIENT, "service"] as const;
const CLIENT_OR_OPERATOR_OR_SERVICE = [...CLIENT, "operator", "service"] as const;
const PERSON_OR_OPERATOR_OR_SERVICE = ["person", "operator", "service"] as const;
const READERS = [...CLIENT, "widget_token", "service"] as const;

/** The rules of each service, by the name in its certificate. */
export const AUDIT_RULES = {
  keys: {
    "annals.account.created": OPERATOR,
    "annals.account.renamed": OPERATOR,
    "annals.plan.changed": OPERATOR,
    "annals.key.created": CLIENT_OR_OPERATOR,
    "annals.key.updated": CLIENT,
    "annals.key.revoked": CLIENT_OR_OPERATOR,
    "annals.widget_token.created": CLIENT_OR_OPERATOR,
    "annals.widget_token.revoked": CLIENT,
    "annals.admission.refused": SERVICE,
    "annals.session.started": PERSON,
    "annals.session.ended": PERSON_OR_OPERATOR_OR_SERVICE,
    "annals.session.refused": SERVICE,
    "annals.person.created": PERSON,
    "annals.person.blocked": OPERATOR,
    "annals.person.unblocked": OPERATOR,
    "annals.role_mapping.created": CLIENT_OR_OPERATOR,
    "annals.role_mapping.deleted": CLIENT_OR_OPERATOR,
    "annals.workload.created": CLIENT,
    "annals.workload.deleted": CLIENT_OR_OPERATOR,
    [AUDIT_COUNTED_ACTION]: SERVICE,
  },
  gateway: {
    [READ_ACTION]: READERS,
  },
  export: {
    "annals.export.created": CLIENT,
    "annals.export.downloaded": CLIENT,
    "annals.export.deleted": CLIENT_OR_SERVICE,
    "annals.archive.downloaded": CLIENT,
    "annals.archive.deleted": SERVICE,
    [AUDIT_COUNTED_ACTION]: SERVICE,
  },
  ledger: {
    "annals.erasure.requested": CLIENT_OR_OPERATOR,
    "annals.erasure.cancelled": CLIENT_OR_OPERATOR,
    "annals.retention.changed": CLIENT_OR_OPERATOR,
    "annals.search_field.created": CLIENT,
    "annals.search_field.deleted": CLIENT,
    "annals.saved_search.created": CLIENT,
    "annals.saved_search.updated": CLIENT_OR_SERVICE,
    "annals.saved_search.deleted": CLIENT,
    [AUDIT_COUNTED_ACTION]: SERVICE,
  },
  "webhook-dispatcher": {
    "annals.webhook.created": CLIENT,
    "annals.webhook.updated": CLIENT_OR_SERVICE,
    "annals.webhook.deleted": CLIENT,
    "annals.webhook.secret_rotated": CLIENT,
    "annals.webhook.tested": CLIENT,
    "annals.webhook.replayed": CLIENT,
    "annals.webhook.disabled": SERVICE,
    "annals.sink.created": CLIENT,
    "annals.sink.updated": CLIENT_OR_SERVICE,
    "annals.sink.deleted": CLIENT,
    "annals.sink.tested": CLIENT,
    "annals.sink.replayed": CLIENT_OR_OPERATOR,
    "annals.sink.skipped": CLIENT_OR_OPERATOR_OR_SERVICE,
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
