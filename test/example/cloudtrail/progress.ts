// Shows how far the import is: a bar that is drawn over itself on a terminal, a plain line now and
// then elsewhere.

/** Where the progress goes: standard output, or what a test gives. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

const WIDTH = 40;

/** Plain lines are written this often, in parts of the whole. */
const PLAIN_STEPS = 4;

export class Progress {
  readonly #screen: Screen;
  readonly #total: number;
  #shownStep = 0;

  constructor(screen: Screen, total: number) {
    this.#screen = screen;
    this.#total = total;
  }

  show(done: number): void {
    const part = this.#total === 0 ? 1 : done / this.#total;
    const count = `${done.toLocaleString("en")} of ${this.#total.toLocaleString("en")} records`;
    if (this.#screen.isTTY) {
      const bar = "█".repeat(Math.round(part * WIDTH)).padEnd(WIDTH, "░");
      this.#screen.write(`\r${bar} ${count}${part >= 1 ? "\n" : ""}`);
      return;
    }
    const step = Math.floor(part * PLAIN_STEPS);
    if (step > this.#shownStep) this.#screen.write(`${count}\n`);
    this.#shownStep = step;
  }
}
