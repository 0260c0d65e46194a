// What services record of their own changes, as appends to a chain, and the actions that are reserved for it.
// Called by rpc/record-audit-events.ts and append/append-outcome.ts. Such an append does not count against a
// plan's monthly quota. It must never contain what its service may not say (audit-rules.ts), or exceed its
// maximum of bytes.

import {
  ACCOUNT_ACTIONS,
  AUDIT_ACTION_PREFIX,
  AUDIT_FAULTS,
  type AuditFault,
  auditFault,
  type AuditService,
  isReservedAction,
  MAX_AUDIT_ENTRY_BYTES,
  type Work,
} from "@annals/contract";
import { AnnalsError, invalid } from "@annals/errors";
import {
  canonicalJson,
  JsonFault,
  type JsonObject,
  type JsonValue,
  MAX_EVENT_DEPTH,
  PARTS,
  readJson,
} from "@annals/event";
import { hash } from "node:crypto";
import { checkAppend } from "../../append/rules/check-append.ts";
import type { Append } from "../../append/rules/prepare-append.ts";

export interface GivenAuditEntry {
  readonly id: string;
  readonly accountId: string;
  /** JSON text of an event of the interface, without a context. */
  readonly event: string;
}

/** Maximum members and elements of an entry. */
const MAX_VALUES = 1_000;

/** Whether the account's chain has the entry whatever the settings are. */
export function isOfAccount({ event }: Pick<GivenAuditEntry, "event">): boolean {
  try {
    const given: unknown = JSON.parse(event);
    return (
      typeof given === "object" &&
      given !== null &&
      ACCOUNT_ACTIONS.has(Reflect.get(given, "action"))
    );
  } catch {
    return false;
  }
}

/**
 * Makes the append of an entry to `chain`. `service` is the sender, by its certificate. Throws for an entry
 * that no chain can hold; {@link faultOf} says why.
 */
export function* auditAppend(
  { id, accountId, event: text }: GivenAuditEntry,
  at: {
    readonly chain: string;
    readonly receivedAt: string;
    readonly service: AuditService | "unknown";
  },
): Work<Append> {
  const event = membersOf(
    readJson(Buffer.from(text), { maxDepth: MAX_EVENT_DEPTH, maxValues: MAX_VALUES }),
  );
  const [action, occurredAt] = [textOf(event["action"]), textOf(event["occurred_at"])];
  const actor = membersOf(event["actor"]);
  const fault = auditFault(at.service, { action, actor, occurredAt }, at.receivedAt);
  if (fault !== undefined) throw mayNotSay(fault);
  const context = { account_id: accountId, entry_id: id, service: at.service };
  const given: JsonObject = { ...event, context };
  const parts = Object.fromEntries(PARTS.map((part) => [part, membersOf(given[part])]));
  const append = yield* checkAppend(
    {
      accountId: at.chain,
      receivedAt: at.receivedAt,
      idempotencyKey: `audit ${id}`,
      // The time is left out: a late entry is sent again with another one.
      requestSha256: hash("sha256", `${id} ${accountId} ${action}`, "buffer"),
      eventsJson: Buffer.from(canonicalJson([{ action, occurred_at: occurredAt, ...parts }])),
    },
    keyIdOf(actor),
  );
  const bytes = sizeOf(append);
  if (bytes > MAX_AUDIT_ENTRY_BYTES) {
    const message = `is ${bytes} bytes; at most ${MAX_AUDIT_ENTRY_BYTES} are allowed`;
    throw invalid({ field: "size", message });
  }
  return { ...append, isUncounted: true };
}

/** The fault of the entry; undefined for a failure that the entry did not cause. */
export function faultOf(error: unknown): AuditFault | undefined {
  if (error instanceof JsonFault) return "form";
  if (!(error instanceof AnnalsError)) return undefined;
  if (error.kind !== "invalid" && error.kind !== "permission_denied") return undefined;
  return AUDIT_FAULTS.find((fault) => error.faults[0]?.field === fault) ?? "form";
}

function mayNotSay(field: AuditFault): AnnalsError {
  const faults = [{ field, message: "is not for this service" }];
  return new AnnalsError("permission_denied", "This service is not allowed to record this entry.", {
    faults,
  });
}

function sizeOf({ events }: Pick<Append, "events">): number {
  const [event] = events;
  if (!event) return 0;
  const parts = PARTS.reduce((bytes, part) => bytes + event[part].length, 0);
  return Buffer.byteLength(event.action) + parts;
}

/** Throws `invalid` if a client uses an action that only the ledger may store. */
export function refuseAuditActions({ events }: Pick<Append, "events">): void {
  const at = events.findIndex(({ action }) => isReservedAction(action));
  if (at < 0) return;
  const message = `must not begin with ${AUDIT_ACTION_PREFIX}: such events belong to the service itself`;
  throw invalid({ field: `events[${at}].action`, message });
}

function membersOf(value: JsonValue | undefined): JsonObject {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? value : {};
}

/** Returns an empty text for any other value: both are refused in the same way. */
function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function keyIdOf({ id, type }: JsonObject): string | undefined {
  return type === "api_key" && typeof id === "string" ? id : undefined;
}
