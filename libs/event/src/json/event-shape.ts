// The objects of an event whose members are known, and which of them have a place: the table that
// event-scanner.ts reads by and event-writer.ts writes by. Made from the definition of an event
// (event-members.ts, event-limits.ts). A member is a slot: one entry of the tape, the same in each event.

import { PART_MEMBERS } from "../event-limits.ts";
import { COPIES, PARTS } from "../event-members.ts";
import { ENTRY } from "./tape.ts";

/** The members of an event whose places are kept. */
export const PLACED = ["action", "occurred_at", ...PARTS, ...COPIES] as const;

/** Places of an event in `places`: its own start and end, then start and end of each of {@link PLACED}. */
export const PLACES_PER_EVENT = 2 + 2 * PLACED.length;

/** An object whose members are known. */
export interface Shape {
  /** In canonical order. */
  readonly members: readonly ShapeMember[];
  /** The names that a client may write, each with its member. Those of the members come first. */
  readonly names: readonly ShapeName[];
}

export interface ShapeName {
  readonly bytes: Uint8Array;
  readonly member: ShapeMember;
}

export interface ShapeMember {
  /** `"name":` and the same after a comma. */
  readonly head: Uint8Array;
  readonly nextHead: Uint8Array;
  /** `text`: of any length; `short`: of 1 to 255 bytes; `object`: of any members. */
  readonly kind: "text" | "short" | "object" | Shape;
  /** The entry on the tape. */
  readonly slot: number;
  /** Index of its start in the places of an event; 0 where none is kept. */
  readonly place: number;
}

/** The shape of an event as it is stored and sent, and as an item of a batch may say it. */
export interface EventShapes {
  readonly event: Shape;
  /** `type` may stand in place of `action`. */
  readonly batchEvent: Shape;
  /** Integers of all slots: where entries without one begin on the tape. */
  readonly end: number;
}

export const EVENT_SHAPES = makeShapes();

function makeShapes(): EventShapes {
  let slot = 0;
  const shapeOf = (prefix: string, kinds: Readonly<Record<string, ShapeMember["kind"]>>): Shape => {
    const names = Object.keys(kinds).sort();
    const members = names.map((name): ShapeMember => {
      const own = slot;
      slot += ENTRY;
      const placed = (PLACED as readonly string[]).indexOf(prefix + name);
      return {
        head: Buffer.from(`"${name}":`),
        nextHead: Buffer.from(`,"${name}":`),
        kind: kinds[name] as ShapeMember["kind"],
        slot: own,
        place: placed < 0 ? 0 : 2 + 2 * placed,
      };
    });
    return {
      members,
      names: members.map((member, at) => ({ bytes: Buffer.from(names[at] ?? ""), member })),
    };
  };
  const parts = PARTS.map((part) => {
    const known: Readonly<Record<string, "text" | "object">> | undefined = (
      PART_MEMBERS as Partial<Record<string, Record<string, "text" | "object">>>
    )[part];
    if (known === undefined) return [part, "object"] as const;
    const kinds = Object.entries(known).map(
      ([name, kind]) => [name, kind === "text" ? "short" : kind] as const,
    );
    return [part, shapeOf(`${part}_`, Object.fromEntries(kinds))] as const;
  });
  const event = shapeOf("", {
    action: "short",
    occurred_at: "text",
    ...Object.fromEntries(parts),
  });
  const action = event.members[0] as ShapeMember;
  const names = [...event.names, { bytes: Buffer.from("type"), member: action }];
  return { event, batchEvent: { members: event.members, names }, end: slot };
}
