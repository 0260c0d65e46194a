// Remembers which keys were used today and has it written, each key once a day. Called by admit-requests.ts,
// which must never wait for it, and by serve.ts. A crash or a full memory loses nothing for long: the row of
// the key still has an earlier day, so its next use is remembered again.

import { type Counter, type Logger, type Loop, startLoop } from "@annals/chassis";
import type { Clock } from "@annals/contract";
import type { Database } from "@annals/postgres";
import { recordLastUses } from "./store/record-last-uses.ts";

const INTERVAL_MS = 60_000;
/** Keys that are remembered until the next turn; further ones wait for their next use. */
const MAX_KEYS = 10_000;
/** Keys in one statement. */
const PIECE = 500;
/** Length of YYYY-MM-DD. */
const DAY_LENGTH = 10;

interface Use {
  readonly accountId: string;
  readonly keyId: string;
  readonly day: string;
}

export class LastUses {
  readonly #clock: Clock;
  readonly #database: Pick<Database, "run">;
  #used = new Map<string, Use>();

  constructor({ clock, database }: { clock: Clock; database: Pick<Database, "run"> }) {
    this.#clock = clock;
    this.#database = database;
  }

  /** A key was used; `known` is the last day that is written, or null. */
  note(accountId: string, keyId: string, known: string | null): void {
    const day = this.#clock.nowText().slice(0, DAY_LENGTH);
    if (known !== null && known >= day) return;
    if (this.#used.size >= MAX_KEYS && !this.#used.has(keyId)) return;
    this.#used.set(keyId, { accountId, keyId, day });
  }

  /** Writes what was noted. What could not be written is noted again by the next use of its key. */
  async write(signal?: AbortSignal): Promise<void> {
    const used = [...this.#used.values()];
    this.#used = new Map();
    for (let from = 0; from < used.length && !signal?.aborted; from += PIECE) {
      const piece = used.slice(from, from + PIECE);
      await this.#database.run(recordLastUses, [
        piece.map(({ accountId }) => accountId),
        piece.map(({ keyId }) => keyId),
        piece.map(({ day }) => day),
      ]);
    }
  }
}

/** Writes each minute, and a last time when it is stopped. */
export function startLastUses(
  uses: LastUses,
  { failures, log }: { readonly log: Logger; readonly failures: Counter<"worker"> },
): Pick<Loop, "stop"> {
  const loop = startLoop({
    name: "last_uses",
    log,
    failures,
    delayMs: INTERVAL_MS,
    initialDelayMs: INTERVAL_MS,
    run: (signal) => uses.write(signal),
  });
  return {
    stop: async () => {
      await loop.stop();
      await uses.write();
    },
  };
}
