// What verify-sinks.ts has found: the faults, and what could not be read. Printed by sink-command.ts. It must
// never keep more than it shows, whatever a storage answers.

const MAX_SHOWN = 100;
const MAX_CHARACTERS = 2_000;

/** Counts all sentences, and keeps the first of them. */
class Sentences {
  readonly #shown: string[] = [];
  count = 0;

  add(text: string): void {
    this.count += 1;
    if (this.#shown.length < MAX_SHOWN)
      this.#shown.push(text.slice(0, MAX_CHARACTERS).toWellFormed());
  }

  /** The first sentences, and how many there are besides. */
  get shown(): readonly string[] {
    const left = this.count - this.#shown.length;
    return left > 0 ? [...this.#shown, `and ${left} more`] : this.#shown;
  }
}

export class Findings {
  readonly faults = new Sentences();
  /** What may be valid or not. */
  readonly unread = new Sentences();
}
