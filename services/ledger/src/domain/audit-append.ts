// What services record of themselves, as appends to a chain, and the actions that this reserves. Called by
// rpc/record-audit-events.ts and rpc/append-outcome.ts. Such an append takes nothing of a plan's month.

import { AUDIT_ACTION_PREFIX, type Work } from "@annals/contract";
import { invalid } from "@annals/errors";
import {
  canonicalJson,
  type JsonObject,
  type JsonValue,
  MAX_EVENT_DEPTH,
  type Part,
  PARTS,
  readJson,
} from "@annals/event";
import { hash } from "node:crypto";
import { checkAppend } from "./check-append.ts";
import type { Append } from "./prepare-append.ts";

export interface GivenAuditEntry {
  readonly id: string;
  readonly accountId: string;
  /** JSON text of an event of the interface, without a context. */
  readonly event: string;
}

/** Members and elements of an entry. */
const MAX_VALUES = 1_000;

/**
 * The append of an entry to `chain`. `service` is who has sent it, by its certificate. Throws `invalid` or
 * JsonFault for an entry that no chain can hold.
 */
export function* auditAppend(
  { id, accountId, event: text }: GivenAuditEntry,
  at: { readonly chain: string; readonly receivedAt: string; readonly service: string },
): Work<Append> {
  const event = membersOf(
    readJson(Buffer.from(text), { maxDepth: MAX_EVENT_DEPTH, maxValues: MAX_VALUES }),
  );
  const [action, occurredAt] = [textOf(event["action"]), textOf(event["occurred_at"])];
  if (!action.startsWith(AUDIT_ACTION_PREFIX)) {
    throw invalid({ field: "action", message: `must begin with ${AUDIT_ACTION_PREFIX}` });
  }
  const context = { account_id: accountId, entry_id: id, service: at.service };
  const parts: JsonObject = { ...event, context };
  const append = yield* checkAppend(
    {
      accountId: at.chain,
      receivedAt: at.receivedAt,
      idempotencyKey: `audit ${id}`,
      requestSha256: hash("sha256", text, "buffer"),
      events: [
        {
          action,
          occurredAt,
          ...(Object.fromEntries(
            PARTS.map((part) => [part, Buffer.from(canonicalJson(membersOf(parts[part])))]),
          ) as Record<Part, Buffer>),
        },
      ],
    },
    keyIdOf(membersOf(event["actor"])),
  );
  return { ...append, isUncounted: true };
}

/** Throws `invalid` where a client uses an action that only the ledger may store. */
export function refuseAuditActions({ events }: Pick<Append, "events">): void {
  const at = events.findIndex(({ action }) => action.startsWith(AUDIT_ACTION_PREFIX));
  if (at < 0) return;
  const message = `must not begin with ${AUDIT_ACTION_PREFIX}: such events are of the service itself`;
  throw invalid({ field: `events[${at}].action`, message });
}

function membersOf(value: JsonValue | undefined): JsonObject {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? value : {};
}

/** What is no text is refused as an empty one is. */
function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function keyIdOf({ id, type }: JsonObject): string | undefined {
  return type === "api_key" && typeof id === "string" ? id : undefined;
}
