// What verifications of an account found that were made in this browser. The service keeps no record of them.
// Called by the verification screen. It holds no key. It is a note, not a proof: any user of the browser can
// change it.

/** A verification that ended. */
export interface Finished {
  readonly verified_at: string;
  readonly from: number;
  readonly to: number;
  readonly checked: number;
  readonly headHash: string;
  readonly fault: { readonly sequence: number; readonly reason: string } | undefined;
}

/** The oldest ones are forgotten. */
export const KEPT = 50;

export class VerificationHistory {
  readonly #notes: Storage;
  readonly #name: string | undefined;
  /** Newest first. */
  all: readonly Finished[] = [];

  /** Without an account nothing is kept. */
  constructor(notes: Storage, accountId: string | undefined) {
    this.#notes = notes;
    this.#name = accountId && `annals.verifications.${accountId}`;
    this.all = this.#read();
  }

  get isKept(): boolean {
    return this.#name !== undefined;
  }

  add(finished: Finished): void {
    // Read again: another tab may have added one.
    this.all = [finished, ...this.#read()].slice(0, KEPT);
    try {
      if (this.#name !== undefined) this.#notes.setItem(this.#name, JSON.stringify(this.all));
    } catch {
      // The browser keeps nothing, or has no space left: the list is shown until the screen is left.
    }
  }

  clear(): void {
    if (this.#name !== undefined) this.#notes.removeItem(this.#name);
    this.all = [];
  }

  #read(): readonly Finished[] {
    if (this.#name === undefined) return this.all;
    try {
      const read: unknown = JSON.parse(this.#notes.getItem(this.#name) ?? "[]");
      return Array.isArray(read) ? read : [];
    } catch {
      return [];
    }
  }
}
