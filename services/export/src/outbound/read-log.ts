// Reads what a bundle of evidence has of the log, from the ledger: the account's checkpoint, its tiles, its
// heads, and what the operator says of the log. A call that breaks is made again. Called by write-bundle.ts.

import type { EpochHead, LedgerService } from "@annals/proto/ledger";
import type { TilePath } from "@annals/tlog";
import type { Client } from "@connectrpc/connect";
import { Breaks } from "./breaks.ts";

export type LogReads = Pick<
  Client<typeof LedgerService>,
  "getLog" | "listHeads" | "readCheckpoint" | "readTile"
>;

/** Lines of one call. */
const MAX_HEADS = 50;

type HashTile = TilePath & { readonly level: number };

export class AccountLog {
  readonly #ledger: LogReads;
  readonly #accountId: string;
  /** Events that the checkpoint of the bundle covers. */
  readonly #size: bigint;
  readonly #signal: AbortSignal;

  constructor(ledger: LogReads, accountId: string, size: bigint, signal: AbortSignal) {
    this.#ledger = ledger;
    this.#accountId = accountId;
    this.#size = size;
    this.#signal = signal;
  }

  async checkpoint(): Promise<string> {
    const request = { accountId: this.#accountId, size: this.#size };
    const { checkpoint } = await this.#call((options) =>
      this.#ledger.readCheckpoint(request, options),
    );
    return checkpoint;
  }

  async tile({ index, level, width }: HashTile): Promise<Uint8Array> {
    const request = { accountId: this.#accountId, level, index: BigInt(index), width };
    const { hashes } = await this.#call((options) => this.#ledger.readTile(request, options));
    return hashes;
  }

  async *heads(): AsyncGenerator<EpochHead> {
    const request = { accountId: this.#accountId, limit: MAX_HEADS, size: this.#size };
    for (let afterEpoch = 0n; ;) {
      const { hasMore, heads } = await this.#call((options) =>
        this.#ledger.listHeads({ ...request, afterEpoch }, options),
      );
      yield* heads;
      const last = heads.at(-1);
      if (!hasMore || last === undefined) return;
      afterEpoch = last.epoch;
    }
  }

  /** The keys of the log, and the policy of the operator: empty without one. */
  operator(): Promise<{ readonly policy: string; readonly vkeys: readonly string[] }> {
    return this.#call((options) => this.#ledger.getLog({ accountId: this.#accountId }, options));
  }

  async #call<T>(call: (options: { readonly signal: AbortSignal }) => Promise<T>): Promise<T> {
    const breaks = new Breaks(this.#signal);
    for (;;) {
      try {
        return await call({ signal: this.#signal });
      } catch (error) {
        await breaks.wait(error);
      }
    }
  }
}
