// Remembers for a moment of which accounts and kinds nobody is told. Most accounts have no webhook, and
// each of their flushes sends a notice: asked for one by one, those would cost more than the deliveries of
// the others. What comes meanwhile is kept, and asked for in one statement for all of them. Called by
// fan-out.ts. It must never lose what it keeps: a webhook made on another replica is told late by at most
// this moment, never too little. Whatever is dropped at the bound is found by the sweep.

import type { Logger } from "@annals/chassis";
import { NOTICE_KINDS, type Notice, type NoticeKind } from "@annals/messaging";
import type { Database } from "@annals/postgres";
import { eventOf } from "../domain/kinds.ts";
import { findSubscribed } from "../store/find-subscribed.ts";

export interface UnsubscribedDeps {
  readonly database: Database;
  readonly log: Logger;
  /** Called with what somebody is to be told of after all. */
  readonly onSubscribed: (notice: Notice) => void;
}

/** How long an answer is good for. */
const MOMENT_MS = 250;
/** Accounts and kinds that are remembered; what is not costs a question each time. */
const MAX_REMEMBERED = 100_000;
/** Accounts and kinds that one statement asks for. */
const PIECE = 1_000;

interface Remembered {
  readonly kind: NoticeKind;
  readonly accountId: string;
  /** The newest position that came meanwhile. */
  kept: bigint | undefined;
}

export class Unsubscribed {
  readonly #deps: UnsubscribedDeps;
  readonly #remembered = new Map<string, Remembered>();
  #timer: NodeJS.Timeout | undefined;
  #asking: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(deps: UnsubscribedDeps) {
    this.#deps = deps;
  }

  /** The database said just now that nobody is to be told. */
  add(kind: NoticeKind, accountId: string): void {
    const key = keyOf(kind, accountId);
    if (this.#isStopping || this.#remembered.has(key)) return;
    if (this.#remembered.size >= MAX_REMEMBERED) return;
    this.#remembered.set(key, { kind, accountId, kept: undefined });
    this.#timer ??= setTimeout(() => this.#ask(), MOMENT_MS);
  }

  /** Whether the notice is kept here, and nothing is to be done for it now. */
  keeps({ kind, accountId, position }: Notice): boolean {
    const found = this.#remembered.get(keyOf(kind, accountId));
    if (!found) return false;
    if (found.kept === undefined || found.kept < position) found.kept = position;
    return true;
  }

  /** The account has a new subscriber: what was kept goes on at once. */
  forget(accountId: string): void {
    for (const kind of NOTICE_KINDS) this.#goOn(this.#remembered.get(keyOf(kind, accountId)));
  }

  /** Keeps nothing more, and resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    this.#remembered.clear();
    await this.#asking;
  }

  #goOn(found: Remembered | undefined): void {
    if (!found) return;
    const { accountId, kept, kind } = found;
    this.#remembered.delete(keyOf(kind, accountId));
    if (kept !== undefined) this.#deps.onSubscribed({ kind, accountId, position: kept });
  }

  #ask(): void {
    this.#asking = this.#askAll().finally(() => {
      this.#timer = undefined;
      if (this.#remembered.size > 0) this.#timer = setTimeout(() => this.#ask(), MOMENT_MS);
    });
  }

  /** Of whom nothing came meanwhile is forgotten; the others stay for another moment, or go on. */
  async #askAll(): Promise<void> {
    const waiting: Remembered[] = [];
    for (const [key, one] of this.#remembered) {
      if (one.kept === undefined) this.#remembered.delete(key);
      else waiting.push(one);
    }
    for (let at = 0; at < waiting.length; at += PIECE) {
      await this.#askPiece(waiting.slice(at, at + PIECE));
    }
  }

  async #askPiece(piece: readonly Remembered[]): Promise<void> {
    const asked = piece.map(({ kept }) => kept);
    try {
      const rows = await this.#deps.database.run(findSubscribed, [
        piece.map(({ accountId }) => accountId),
        piece.map(({ kind }) => eventOf(kind)),
      ]);
      for (const { place } of rows) {
        const found = piece[place - 1];
        // Unless it went on already, or the process ends.
        if (found && this.#remembered.get(keyOf(found.kind, found.accountId)) === found) {
          this.#goOn(found);
        }
      }
      for (const [index, one] of piece.entries()) {
        if (one.kept === asked[index]) one.kept = undefined;
      }
    } catch (error) {
      this.#deps.log.warn({ err: error }, "subscribers cannot be asked for");
    }
  }
}

function keyOf(kind: NoticeKind, accountId: string): string {
  return `${kind} ${accountId}`;
}
