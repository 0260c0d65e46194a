// A progress bar on a terminal: how much of a file is done, the speed, the time left. Called by main.ts. It
// writes on the present line and clears it at the end.

export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Least time between two drawings. */
const INTERVAL_MS = 100;
const BAR_LENGTH = 30;
const MIB = 1024 * 1024;

export class Progress {
  readonly #terminal: Terminal;
  readonly #now: () => number;
  readonly #started: number;
  #drawn = 0;

  /** `now` is a clock in milliseconds. Writes nothing if the output is not a terminal. */
  constructor(terminal: Terminal, now: () => number) {
    this.#terminal = terminal;
    this.#now = now;
    this.#started = now();
  }

  show(done: number, total: number): void {
    const now = this.#now();
    if (this.#terminal.isTTY !== true || now - this.#drawn < INTERVAL_MS) return;
    this.#drawn = now;
    const part = total === 0 ? 1 : done / total;
    const filled = Math.round(part * BAR_LENGTH);
    const seconds = (now - this.#started) / 1000;
    const left = part > 0 ? Math.ceil((seconds * (1 - part)) / part) : 0;
    const bar = "█".repeat(filled) + "░".repeat(BAR_LENGTH - filled);
    const speed = seconds > 0 ? (done / MIB / seconds).toFixed(0) : "0";
    this.#terminal.write(
      `\r${bar} ${Math.floor(part * 100)}%  ${speed} MiB/s  ${left} s left \u001B[K`,
    );
  }

  clear(): void {
    if (this.#drawn > 0) this.#terminal.write("\r\u001B[K");
  }
}
