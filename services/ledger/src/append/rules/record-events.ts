// The records: events of the service that say what is done to events of their chain. Verifiers read them, so
// their form is fixed by test/vectors. A record must never hold a value or a selector of what is erased.

import type { AuditClientType } from "@annals/contract";
import { canonicalJson, type JsonObject, NO_MEMBERS, type Part } from "@annals/event";
import { numberRanges } from "../../events/rules/number-ranges.ts";
import type { NewEvent } from "./prepare-append.ts";

const ACTIONS = ["annals.clock", "annals.erasure", "annals.hold", "annals.retention"];

/** Whether an event with the action is a record, which nothing erases. */
export function isRecord(action: string): boolean {
  return ACTIONS.includes(action);
}

export type RecordActor =
  | { readonly type: AuditClientType; readonly id: string }
  | { readonly type: "operator" }
  | { readonly type: "service"; readonly id: "ledger" };

export type RecordEvent = Omit<NewEvent, "occurredAt">;

/** The sequence numbers are ascending. */
export function erasureRecord(
  actor: RecordActor,
  erasure: {
    readonly id: string;
    readonly parts: readonly Part[];
    readonly sequenceNumbers: readonly number[];
    readonly reference?: string | undefined;
  },
): RecordEvent {
  const { id, parts, reference, sequenceNumbers } = erasure;
  return recordOf(
    "annals.erasure",
    actor,
    { id, type: "erasure" },
    {
      erasure: id,
      parts: [...parts],
      sequence_numbers: numberRanges(sequenceNumbers),
      ...(reference !== undefined && { reference }),
    },
  );
}

export function holdRecord(
  actor: RecordActor,
  hold: {
    readonly id: string;
    readonly state: "placed" | "released";
    readonly fromSequence: number;
    /** Undefined: it has no end. */
    readonly toSequence?: number | undefined;
    readonly isOfOneActor: boolean;
  },
): RecordEvent {
  const { id, state, fromSequence, toSequence, isOfOneActor } = hold;
  return recordOf(
    "annals.hold",
    actor,
    { id, type: "hold" },
    {
      hold: id,
      state,
      from_sequence: fromSequence,
      ...(toSequence !== undefined && { to_sequence: toSequence }),
      of_one_actor: isOfOneActor,
    },
  );
}

export function retentionRecord(throughSequence: number): RecordEvent {
  const actor = { type: "service", id: "ledger" } as const;
  return recordOf("annals.retention", actor, undefined, { through_sequence: throughSequence });
}

/** Says that the time of the head was wrong: later events go on from the time of this replica. */
export function clockRecord(step: {
  readonly headTime: string;
  readonly replicaTime: string;
}): RecordEvent {
  const { headTime, replicaTime } = step;
  const actor = { type: "service", id: "ledger" } as const;
  return recordOf("annals.clock", actor, undefined, {
    head_time: headTime,
    replica_time: replicaTime,
    difference_us: microsOf(headTime) - microsOf(replicaTime),
  });
}

const FRACTION_AT = "2026-01-01T00:00:00.".length;

/** Microseconds since 1970 of a time as events have it: a Date has only milliseconds. */
function microsOf(time: string): number {
  const fraction = Number(time.slice(FRACTION_AT, -1));
  return Date.parse(`${time.slice(0, FRACTION_AT - 1)}Z`) * 1_000 + fraction;
}

interface Named {
  readonly type: string;
  readonly id?: string;
}

function recordOf(
  action: string,
  actor: Named,
  target: Named | undefined,
  metadata: JsonObject,
): RecordEvent {
  const empty = Buffer.from(NO_MEMBERS);
  const textOf = (value: JsonObject) => Buffer.from(canonicalJson(value));
  return {
    action,
    actor: textOf({ ...actor }),
    context: empty,
    diff: empty,
    metadata: textOf(metadata),
    target: target ? textOf({ ...target }) : empty,
    actorId: actor.id,
    actorType: actor.type,
    targetId: target?.id,
    targetType: target?.type,
  };
}
