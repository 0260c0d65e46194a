// The objects of an event whose members are known, and which of them have a place: the table that
// event-scanner.ts reads by and event-writer.ts writes by. Made from the definition of an event
// (event-members.ts, event-limits.ts). A member is a slot: one entry of the tape, the same in each event.

import { PART_MEMBERS } from "../event-limits.ts";
import { COPIES, type Part, PARTS } from "../event-members.ts";
import { ENTRY } from "./tape.ts";

/** The members of an event whose places are kept. */
export const PLACED = ["action", "occurred_at", ...PARTS, ...COPIES] as const;

/** Places of an event in `places`: its own start and end, then start and end of each of {@link PLACED}. */
export const PLACES_PER_EVENT = 2 + 2 * PLACED.length;

/** An object whose members are known. */
export interface Shape {
  /** In canonical order, which is also that of their slots. */
  readonly members: readonly ShapeMember[];
  /** The names that a client may write. */
  readonly names: readonly ShapeName[];
}

export interface ShapeName {
  readonly bytes: Uint8Array;
  readonly member: ShapeMember;
}

export interface ShapeMember {
  readonly name: string;
  /** `"name":` and the same after a comma. */
  readonly head: Uint8Array;
  readonly nextHead: Uint8Array;
  readonly kind: Kind;
  /** The entry on the tape. */
  readonly slot: number;
  /** Index of its start in the places of an event; 0 if none is kept. */
  readonly place: number;
}

/** `text`: of any length; `short`: a text of 1 to 255 bytes; `object`: of any members. */
type Kind = "text" | "short" | "object" | Shape;

/** What a client may send of the parts that are not free-form. */
const KNOWN: Readonly<Partial<Record<Part, Readonly<Record<string, "text" | "object">>>>> =
  PART_MEMBERS;

/** The members that have a slot: of the event, and of its parts under the names of both. */
const SLOTS: readonly string[] = [
  ...["action", "occurred_at", ...PARTS].sort(),
  ...PARTS.flatMap((part) =>
    Object.keys(KNOWN[part] ?? {})
      .sort()
      .map((name) => `${part}_${name}`),
  ),
];

/** The position on the tape at which the entries without a slot begin. */
export const SLOTS_END = SLOTS.length * ENTRY;

/** An event as it is sent to POST /v1/events, and as it is stored. */
export const EVENT = shapeOf("", {
  action: "short",
  occurred_at: "text",
  ...Object.fromEntries(PARTS.map((part) => [part, kindOf(part)])),
});

export const ACTION = EVENT.members.find(({ name }) => name === "action") as ShapeMember;

/** An event as it is sent in a batch: `type` may stand in place of `action`. */
export const BATCH_EVENT: Shape = {
  members: EVENT.members,
  names: [...EVENT.names, { bytes: Buffer.from("type"), member: ACTION }],
};

function kindOf(part: Part): Kind {
  const known = KNOWN[part];
  if (known === undefined) return "object";
  const kinds = Object.entries(known).map(([name, kind]) => [
    name,
    kind === "text" ? "short" : kind,
  ]);
  return shapeOf(`${part}_`, Object.fromEntries(kinds) as Record<string, Kind>);
}

/** The prefix makes the names of SLOTS and PLACED of those of the members. */
function shapeOf(prefix: string, kinds: Readonly<Record<string, Kind>>): Shape {
  const members = Object.keys(kinds)
    .sort()
    .map((name): ShapeMember => {
      const placed = (PLACED as readonly string[]).indexOf(prefix + name);
      return {
        name,
        head: Buffer.from(`"${name}":`),
        nextHead: Buffer.from(`,"${name}":`),
        kind: kinds[name] as Kind,
        slot: SLOTS.indexOf(prefix + name) * ENTRY,
        place: placed < 0 ? 0 : 2 + 2 * placed,
      };
    });
  return {
    members,
    names: members.map((member) => ({ bytes: Buffer.from(member.name), member })),
  };
}
