// When a stream that finds nothing says how far it is, so that its reader resumes there if it breaks. Called
// by rpc/stream-events.ts.

/** Numbers after which it is due. */
const EVENTS = 50_000;
/** Steps of a search after which it is due: one may read a mebibyte of parts. */
const STEPS = 256;

export class Progress {
  #told = 0;
  #steps = 0;

  /** Call it once for each step that found nothing. Returns whether the reader has to be told. */
  isDue(reached: number): boolean {
    this.#steps += 1;
    if (reached < this.#told + EVENTS && this.#steps < STEPS) return false;
    this.told(reached);
    return true;
  }

  /** The reader knows how far the stream is. */
  told(reached: number): void {
    this.#told = reached;
    this.#steps = 0;
  }
}
