// Recomputes the hashes of listed events from their proofs, page by page: what the service says of itself is
// not believed. Called by annals.verify.events. It must never find verified what it did not check.

import {
  checkEvent,
  checkLinks,
  Erasures,
  type EventCheck,
  type JsonObject,
  type LinkState,
  PARTS,
  type Proof,
  type ProvableEvent,
} from "@annals/proof";

/** A page of a list with `include: "proof"`, or of a widget's. */
export interface ProvenPage {
  readonly data: readonly ProvableEvent[];
  readonly proofs?: readonly Proof[] | undefined;
}

export interface EventFault {
  readonly id: string;
  readonly sequenceNumber: number;
  readonly check: EventCheck;
  readonly link: LinkState;
}

export interface EventsCheck {
  /** `unchecked`: an event came without its proof, or there was none at all. */
  readonly state: "verified" | "differs" | "unchecked";
  readonly events: number;
  readonly linksChecked: number;
  /**
   * Links to events that are not among them: a filter or the beginning of a range left them out.
   */
  readonly linksUnchecked: number;
  /** Parts that were erased. Nothing but their digests is left to verify. */
  readonly erasedParts: number;
  /**
   * Erased parts that no later record `annals.erasure` among the events names: a filter or the end of a range
   * left it out, or the chain has no such record. `GET /v1/verify` compares the entire chain.
   */
  readonly erasuresUnchecked: number;
  /** The first 100 events that differ, or whose link does. */
  readonly faults: readonly EventFault[];
}

const MAX_FAULTS = 100;

export async function verifyEvents(
  pages: AsyncIterable<ProvenPage> | Iterable<ProvenPage>,
): Promise<EventsCheck> {
  const faults: EventFault[] = [];
  const count = { events: 0, linksChecked: 0, linksUnchecked: 0, unproven: 0, faulty: 0 };
  const erasures = new Erasures();
  let before: ProvableEvent[] = [];
  for await (const { data, proofs } of pages) {
    const checks = await Promise.all(data.map((event, at) => checkEvent(event, proofs?.[at])));
    const links = linksOf(before, data, count);
    for (const [at, event] of data.entries()) {
      const check = checks[at] ?? { state: "unchecked" };
      const link = links[at] ?? "unchecked";
      count.events += 1;
      takeErasures(erasures, event, check);
      if (check.state === "unchecked") count.unproven += 1;
      if (check.state !== "differs" && link !== "differs") continue;
      count.faulty += 1;
      const { id, sequence_number: sequenceNumber } = event;
      if (faults.length < MAX_FAULTS) faults.push({ id, sequenceNumber, check, link });
    }
    before = data.slice(-1);
  }
  const { events, faulty, linksChecked, linksUnchecked, unproven } = count;
  const state = faulty > 0 ? "differs" : unproven > 0 || events === 0 ? "unchecked" : "verified";
  const { erasedParts, unrecordedParts: erasuresUnchecked } = erasures;
  return { state, events, linksChecked, linksUnchecked, erasedParts, erasuresUnchecked, faults };
}

/** Only a record that is what the chain has hashed says what was erased. */
function takeErasures(erasures: Erasures, event: ProvableEvent, check: EventCheck): void {
  const { action, erased, metadata, sequence_number: sequenceNumber } = event;
  const isRecord = check.state === "verified" && check.parts.metadata === "verified" && metadata;
  erasures.take({
    sequenceNumber,
    erased: Array.isArray(erased) ? PARTS.filter((part) => erased.includes(part)) : [],
    ...(isRecord && { record: { action, metadata: metadata as JsonObject } }),
  });
}

/** The links of a page. In descending order, the last event before it links into it. */
function linksOf(
  before: readonly ProvableEvent[],
  data: readonly ProvableEvent[],
  count: { linksChecked: number; linksUnchecked: number },
): LinkState[] {
  const all = checkLinks([...before, ...data]);
  const across = before.length > 0 ? all.shift() : undefined;
  const [last] = before;
  const [first] = data;
  // Counted as unchecked with its own page.
  if (last && first && last.sequence_number === first.sequence_number + 1) {
    count.linksUnchecked -= 1;
    count.linksChecked += 1;
    // Shown with the event that it leads to, whose page this is.
    if (across === "differs") all[0] = "differs";
  }
  for (const link of all) {
    if (link === "unchecked") count.linksUnchecked += 1;
    else count.linksChecked += 1;
  }
  return all;
}
