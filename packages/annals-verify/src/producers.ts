// The numbers that producers give to their events (`context.producer`, docs/sdk-contract.md): which of them
// are missing in an export of JSON Lines that was found valid. Called by main.ts. It must never keep more
// than its bounds, whatever a file claims.

import { quoteVisibly } from "@annals/event";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** Ids of producers, and gaps of all of them together. */
const MAX_PRODUCERS = 10_000;
const MAX_GAPS = 100_000;

/** The missing numbers, from the first to the last one. */
type Gap = readonly [from: number, to: number];

interface ProducerNumber {
  readonly id: string;
  readonly n: number;
  readonly dropped: number;
  readonly after?: number | undefined;
}

interface ProducerReport {
  readonly id: string;
  readonly events: number;
  readonly first: number;
  readonly last: number;
  /** Events that the producer says it has dropped. */
  readonly dropped: number;
  readonly missing: readonly Gap[];
  /** Numbers that more than one event has, such as after a machine lost its power. */
  readonly twice: number;
}

interface State {
  events: number;
  first: number;
  last: number;
  dropped: number;
  missing: Gap[];
  twice: number;
}

class Producers {
  readonly #states = new Map<string, State>();
  #gaps = 0;
  /** Whether there were more producers or gaps than are kept. */
  isCut = false;

  take({ after, dropped, id, n }: ProducerNumber): void {
    const state = this.#states.get(id);
    if (state === undefined) {
      if (this.#states.size < MAX_PRODUCERS)
        this.#states.set(id, { events: 1, first: n, last: n, dropped, missing: [], twice: 0 });
      else this.isCut = true;
      return;
    }
    state.events += 1;
    state.dropped = Math.max(state.dropped, dropped);
    if (n <= state.last) return this.#fill(state, n);
    // What a killed process may have given last, between `after` and this number, need not be there.
    const to = Math.min(n - 1, after ?? n - 1);
    if (to > state.last) this.#add(state, [state.last + 1, to]);
    state.last = n;
  }

  report(): ProducerReport[] {
    const all = [...this.#states].map(([id, state]) => {
      const missing = state.missing.filter((gap) => !isEmpty(gap));
      return { id, ...state, missing };
    });
    return all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  #add(state: State, gap: Gap): void {
    if (this.#gaps >= MAX_GAPS) this.isCut = true;
    else {
      state.missing.push(gap);
      this.#gaps += 1;
    }
  }

  /** An event that came later than one with a higher number. */
  #fill(state: State, n: number): void {
    const at = indexOfGap(state.missing, n);
    const [from, to] = state.missing[at] ?? [n + 1, n];
    if (n < from) {
      // Before the first one of the file nothing is known.
      if (n >= state.first) state.twice += 1;
      return;
    }
    // A gap that is empty then stays before others: to move many takes long.
    state.missing[at] = n === to ? [from, n - 1] : [n + 1, to];
    if (n !== from && n !== to) {
      state.missing.splice(at, 0, [from, n - 1]);
      this.#gaps += 1;
    }
    for (let last = state.missing.at(-1); last && isEmpty(last); last = state.missing.at(-1)) {
      state.missing.pop();
      this.#gaps -= 1;
    }
  }
}

function isEmpty([from, to]: Gap): boolean {
  return from > to;
}

/** Finds the first gap that ends at this number or behind it: gaps are sorted, and there may be many. */
function indexOfGap(gaps: readonly Gap[], n: number): number {
  let low = 0;
  let high = gaps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((gaps[middle]?.[1] ?? n) < n) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Checked {
  readonly text: string;
  /** Undefined if the file has another format. */
  readonly isWhole: boolean | undefined;
}

/** Reads an export again, and says what is missing: a line for each producer. */
export async function checkProducers(path: string): Promise<Checked> {
  const producers = new Producers();
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (!line.startsWith("{"))
      return { text: "  producer  not checked: the file is not JSON Lines\n", isWhole: undefined };
    // Most lines have none, and parsing them takes most of the time.
    const number = line.includes('"producer":') ? numberIn(line) : undefined;
    if (number !== undefined) producers.take(number);
  }
  const all = producers.report();
  const lines = all.map((each) => `  producer  ${shown(each)}\n`);
  if (all.length === 0) lines.push("  producer  no event has a number of a producer\n");
  if (producers.isCut) lines.push("  producer  there are more than can be checked\n");
  const isWhole = !producers.isCut && all.every(({ missing }) => missing.length === 0);
  return { text: lines.join(""), isWhole };
}

const PRINTED_GAPS = 20;

function shown({ dropped, events, first, id, last, missing, twice }: ProducerReport): string {
  const gaps = missing.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`));
  const more = gaps.length > PRINTED_GAPS ? ` and ${gaps.length - PRINTED_GAPS} more gaps` : "";
  const count = missing.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  const what =
    count === 0
      ? "none is missing"
      : `${count} missing: ${gaps.slice(0, PRINTED_GAPS).join(", ")}${more}`;
  const others = [
    ...(twice > 0 ? [`numbers that appear twice: ${twice}`] : []),
    ...(dropped > 0 ? [`it says that it dropped ${dropped} events`] : []),
  ];
  return `${quoteVisibly(id)}, ${events} events, numbers ${first} to ${last}: ${[what, ...others].join("; ")}`;
}

/** Undefined if the event has none, or something else of that name. */
function numberIn(line: string): ProducerNumber | undefined {
  const { event } = JSON.parse(line) as { event?: { context?: { producer?: unknown } | null } };
  const { after, dropped, id, n } = (event?.context?.producer ?? {}) as Record<string, unknown>;
  if (typeof id !== "string" || !isCount(n) || !isCount(dropped)) return undefined;
  return { id, n, dropped, after: isCount(after) ? after : undefined };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
