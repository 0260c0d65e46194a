// Decides when the viewer looks for newer events: often while the newest are in sight, else less often, and
// never on a page that nobody sees. Made by the element.

/** Seconds between two polls. */
export const DEFAULT_SECONDS = 10;

/** How many times more often a reader of the newest events gets newer ones. */
const SOONER = 5;

export interface PollerOptions {
  readonly isAtTop: () => boolean;
  readonly poll: () => void;
}

export class Poller {
  readonly #options: PollerOptions;
  #timer: ReturnType<typeof setInterval> | undefined;
  #ticks = 0;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** Polls every so many seconds, and five times as often at the top; 0 for never. */
  start(seconds: number): void {
    this.stop();
    if (seconds > 0) this.#timer = setInterval(() => this.#tick(), (seconds * 1000) / SOONER);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    this.#ticks += 1;
    const isDue = this.#options.isAtTop() || this.#ticks % SOONER === 0;
    if (isDue && document.visibilityState === "visible") this.#options.poll();
  }
}
