// The bars of a count, by the minute in which an event occurred, and what the times of a filter leave of
// them. Called by the readers of segments and of events. It must never place an event in a bar that its time
// is not in: what a minute cannot tell is left to the event.

export interface Times {
  readonly occurredFrom?: string | undefined;
  readonly occurredTo?: string | undefined;
}

/** In place of a bar: the event is in none; only the event says it. */
export const NONE = 0xff_ff;
export const UNSURE = 0xff_fe;

/** The time of a run whose events say their times themselves. */
export const UNKNOWN = -2_147_483_648;

const MINUTE_MS = 60_000;
const MINUTES_OF_QUARTER = 15;

/** The minute since 1970 of a time in UTC with six fraction digits, and whether the time begins it. */
function minuteOf(time: string): { readonly minute: number; readonly isWhole: boolean } {
  const minute = Math.floor(Date.parse(`${time.slice(0, 16)}:00Z`) / MINUTE_MS);
  return { minute, isWhole: time.slice(16) === ":00.000000Z" };
}

export class Bars {
  readonly #edges: readonly number[];
  readonly #from: string;
  readonly #to: string;
  readonly #first: ReturnType<typeof minuteOf>;
  readonly #last: ReturnType<typeof minuteOf>;
  /** What its runs are by: null: any time is in the one bar. */
  readonly unit: "minutes" | "quarters" | null;

  /** A bar begins at an edge and ends at the next one, both in minutes. Undefined: one bar of all times. */
  constructor(edges: readonly number[] | undefined, { occurredFrom, occurredTo }: Times) {
    this.#edges = edges ?? [-Infinity, Infinity];
    this.#from = occurredFrom ?? "";
    this.#to = occurredTo ?? "~";
    this.#first = occurredFrom ? minuteOf(occurredFrom) : { minute: -Infinity, isWhole: true };
    this.#last = occurredTo ? minuteOf(occurredTo) : { minute: Infinity, isWhole: true };
    this.unit = this.#unitOf(edges);
  }

  #unitOf(edges: readonly number[] | undefined): Bars["unit"] {
    const ends = [this.#first, this.#last].filter(({ minute }) => Number.isFinite(minute));
    if (!edges && ends.length === 0) return null;
    const isQuarter = (minute: number) => minute % MINUTES_OF_QUARTER === 0;
    const isByQuarters =
      (edges ?? []).every(isQuarter) &&
      ends.every(({ isWhole, minute }) => isWhole && isQuarter(minute));
    return isByQuarters ? "quarters" : "minutes";
  }

  get count(): number {
    return this.#edges.length - 1;
  }

  /** The bar of every time from the earliest to the latest; undefined: they are not in one. */
  ofAll(earliest: string, latest: string): number | undefined {
    const [first, last] = [this.ofTime(earliest), this.ofTime(latest)];
    return first === last && first !== NONE ? first : undefined;
  }

  /** The bar of an event. */
  ofTime(time: string): number {
    if (this.unit === null) return 0;
    if (time < this.#from || time >= this.#to) return NONE;
    return this.#find(minuteOf(time).minute);
  }

  /** The bar of the events of a run. */
  ofRun(time: number): number {
    if (time === UNKNOWN) return UNSURE;
    const minute = this.unit === "quarters" ? time * MINUTES_OF_QUARTER : time;
    if (minute < this.#first.minute || minute > this.#last.minute) return NONE;
    if (minute === this.#first.minute && !this.#first.isWhole) return UNSURE;
    if (minute === this.#last.minute) return this.#last.isWhole ? NONE : UNSURE;
    return this.#find(minute);
  }

  #find(minute: number): number {
    let [low, high] = [0, this.#edges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#edges[middle] ?? Infinity) <= minute) low = middle + 1;
      else high = middle;
    }
    return low === 0 || low === this.#edges.length ? NONE : low - 1;
  }
}

/** Bytes of a run: four of time, and two of events. */
const RUN_BYTES = 6;

/** Events of a chunk within an array. */
interface Span {
  readonly at: number;
  readonly size: number;
}

/** Writes the bar of each event of a chunk. */
export function writeBars(bars: Bars, runs: Buffer, into: Uint16Array, span: Span): void {
  if (!writeRuns(runs, into, span, (time) => bars.ofRun(time)))
    into.fill(UNSURE, span.at, span.at + span.size);
}

/** The time of each event of a chunk that a count believes. */
export function timesOfRuns(runs: Buffer, size: number): Int32Array {
  const times = new Int32Array(size);
  return writeRuns(runs, times, { at: 0, size }, (time) => time) ? times : times.fill(UNKNOWN);
}

/** Writes what the time of a run gives for each of its events. False: the runs are not of all events. */
function writeRuns(
  runs: Buffer,
  into: Uint16Array | Int32Array,
  { at, size }: Span,
  valueOf: (time: number) => number,
): boolean {
  let to = at;
  for (let byte = 0; byte + RUN_BYTES <= runs.length && to < at + size; byte += RUN_BYTES) {
    const from = to;
    to += runs.readUInt16BE(byte + 4);
    into.fill(valueOf(runs.readInt32BE(byte)), from, Math.min(to, at + size));
  }
  return to === at + size;
}
