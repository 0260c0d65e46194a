// What the badges say: of one event, and of all that are shown. Used by the element and its views. A badge
// must never say more than what was recomputed.

import { checkLinks, type Part, PARTS } from "@annals/proof";
import type { Row } from "../event-window.ts";

/**
 * `hidden`: everything that is shown is verified, and something is not shown. `erased`: only what the event
 * says is erased is not shown.
 */
export type BadgeState = "verified" | "differs" | "hidden" | "erased" | "unchecked" | "checking";

export interface Badge {
  readonly state: BadgeState;
  /** What differs. `hash` stands for the members outside of the parts. */
  readonly differing: readonly (Part | "hash" | "link")[];
}

export interface Summary {
  readonly total: number;
  readonly counts: Readonly<Record<BadgeState, number>>;
}

export function badgeOf({ check, event, link }: Row): Badge {
  if (check === undefined) return { state: "checking", differing: [] };
  if (check.state === "unchecked") return { state: "unchecked", differing: [] };
  const differing = [
    ...PARTS.filter((part) => check.parts[part] === "differs"),
    ...(check.hash === "differs" ? (["hash"] as const) : []),
    ...(link === "differs" ? (["link"] as const) : []),
  ];
  if (differing.length > 0) return { state: "differs", differing };
  const hidden = PARTS.filter((part) => check.parts[part] === "hidden");
  if (hidden.length === 0) return { state: "verified", differing };
  return { state: hidden.every((part) => isErased(event, part)) ? "erased" : "hidden", differing };
}

/** Whether the event says that the part is erased, which may be forged. */
export function isErased({ erased }: Row["event"], part: Part): boolean {
  return Array.isArray(erased) && erased.includes(part);
}

/** Whether the part is in the hash of the event and not in what was received. */
export function isHidden({ check }: Row, part: Part): boolean {
  return check !== undefined && check.state !== "unchecked" && check.parts[part] === "hidden";
}

/** Notes for each row whether it links to its neighbour, and counts the badges. */
export function summarize(rows: readonly Row[]): Summary {
  const links = checkLinks(rows.map(({ event }) => event));
  const counts = { verified: 0, differs: 0, hidden: 0, erased: 0, unchecked: 0, checking: 0 };
  for (const [at, row] of rows.entries()) {
    row.link = links[at] ?? "unchecked";
    counts[badgeOf(row).state] += 1;
  }
  return { total: rows.length, counts };
}
