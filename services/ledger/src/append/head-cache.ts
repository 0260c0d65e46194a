// What this process last knew of the heads of chains. Only guesses: the statement that appends
// checks the head itself.

import type { Head } from "../domain/plan-flush.ts";

export interface HeadGuess {
  readonly head: Head;
  /** Whether nobody else appended between our last two groups, so that the guess is worth trying. */
  readonly alone: boolean;
}

/** Chains whose head is remembered; the one that was used longest ago goes first. */
const MAX_GUESSES = 10_000;

export class HeadGuesses {
  readonly #guesses = new Map<string, HeadGuess>();

  get(accountId: string): HeadGuess | undefined {
    return this.#guesses.get(accountId);
  }

  set(accountId: string, guess: HeadGuess): void {
    this.#guesses.delete(accountId);
    this.#guesses.set(accountId, guess);
    const [oldest] = this.#guesses.size > MAX_GUESSES ? this.#guesses.keys() : [];
    if (oldest !== undefined) this.#guesses.delete(oldest);
  }

  forget(accountId: string): void {
    this.#guesses.delete(accountId);
  }
}
