// Whether the installation takes few events now, compared with the busiest time of the last day. Used by the
// scheduled verification and by retention, with the number of all events that each of their passes sees, so
// that every replica judges the load of all replicas.

const HOUR_MS = 3_600_000;
const HOURS = 24;
/** Share of the greatest rate of the last day up to which the load is low. */
const LOW = 0.5;
/** Events per second that are a low load for any PostgreSQL. */
const IDLE_PER_S = 10;
const MS_PER_S = 1_000;

export class LoadPeak {
  readonly #nowMs: () => number;
  /** The greatest rate of each of the last hours, the newest last. */
  readonly #hours: { readonly hour: number; perS: number }[] = [];
  #before: { readonly events: number; readonly atMs: number } | undefined;
  #perS = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Records how many events all chains have now. */
  sample(events: number): void {
    const atMs = this.#nowMs();
    const before = this.#before;
    this.#before = { events, atMs };
    if (!before || atMs <= before.atMs) return;
    this.#perS = Math.max(0, ((events - before.events) / (atMs - before.atMs)) * MS_PER_S);
    const hour = Math.floor(atMs / HOUR_MS);
    const last = this.#hours.at(-1);
    if (last?.hour === hour) last.perS = Math.max(last.perS, this.#perS);
    else this.#hours.push({ hour, perS: this.#perS });
    while ((this.#hours[0]?.hour ?? hour) <= hour - HOURS) this.#hours.shift();
  }

  /** Whether the load is low. False before the second sample, because nothing is known yet. */
  get isLoadLow(): boolean {
    const greatest = Math.max(...this.#hours.map(({ perS }) => perS));
    return this.#hours.length > 0 && this.#perS <= Math.max(IDLE_PER_S, LOW * greatest);
  }
}
