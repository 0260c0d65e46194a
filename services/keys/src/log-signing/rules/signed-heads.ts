// What this process has seen signed of each log. The database may be restored to an earlier moment; this
// memory shows it. Called by log-signer.ts. It must never take a smaller head for a larger one.

export interface SignedHead {
  readonly size: number;
  readonly root: Buffer;
}

export class SignedHeads {
  readonly #heads = new Map<string, SignedHead>();
  readonly #reported = new Set<string>();
  /** Logs that continued, oldest first. */
  readonly #logs = new Set<string>();

  /** The largest head that was seen. */
  get(origin: string): SignedHead | undefined {
    return this.#heads.get(origin);
  }

  /** The newest log. */
  get current(): string | undefined {
    return [...this.#logs].at(-1);
  }

  /** A log continues in the database. One that was not seen before is newer than all others. */
  seeCurrent(origin: string): void {
    this.#logs.add(origin);
  }

  /** The log that has followed this one, whatever the database says. */
  successorOf(origin: string): string | undefined {
    return this.#logs.has(origin) && this.current !== origin ? this.current : undefined;
  }

  /** Whether the head in the database, if it is there, continues what was seen. It is then remembered. */
  continues(origin: string, stored: SignedHead | undefined): boolean {
    const seen = this.#heads.get(origin);
    if (seen !== undefined) {
      if (stored === undefined || stored.size < seen.size) return false;
      if (stored.size === seen.size) return stored.root.equals(seen.root);
    }
    if (stored !== undefined) this.#heads.set(origin, stored);
    this.#reported.delete(origin);
    return true;
  }

  /** Whether a head that went back is to be reported: once, until the head continues again. */
  isNews(origin: string): boolean {
    const isNew = !this.#reported.has(origin);
    this.#reported.add(origin);
    return isNew;
  }
}
