// What a run of all tiers counts: checks and tests that passed and failed, what the failures say, and the
// files that passed only when they were run again. The last lines of the output come from here.

/** More files than this that fail at first are no busy moment. */
const MAX_RUN_AGAIN = 3;

export class Tally {
  passed = 0;
  failed = 0;
  readonly #failures: string[] = [];
  readonly #runAgain: string[] = [];

  /** Counts a check that is one, whatever it looked at. */
  check(name: string, isPassed: boolean, why = ""): void {
    if (isPassed) this.passed += 1;
    else this.fail(name, why);
  }

  fail(name: string, why = ""): void {
    this.failed += 1;
    this.note(name, why);
  }

  /** Keeps what a failure says, without counting it. */
  note(name: string, why: string): void {
    this.#failures.push(why === "" ? `FAILED: ${name}` : `FAILED: ${name}\n${why}`);
  }

  /** Whether `files` may be run again: with those before, they are few. */
  mayRunAgain(files: readonly string[]): boolean {
    return this.#runAgain.length + files.length <= MAX_RUN_AGAIN;
  }

  ranAgain(file: string, why: string): void {
    this.#runAgain.push(`${file}\n${why}`);
  }

  text(): string {
    const again = this.#runAgain.map((one) => `PASSED WHEN RUN AGAIN: ${one}`);
    const last = `${this.passed} passed, ${this.failed} failed`;
    return [...again, ...this.#failures, last].join("\n");
  }
}
