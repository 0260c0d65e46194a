// Counts by key, holding only the keys that have any.

export class KeyedCount {
  readonly #counts = new Map<string, number>();

  add(key: string): void {
    this.#counts.set(key, this.of(key) + 1);
  }

  take(key: string): void {
    const left = this.of(key) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  keys(): string[] {
    return [...this.#counts.keys()];
  }
}
