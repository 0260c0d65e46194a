// Signs the head log and the checkpoints of accounts: holds the keys, and knows what was signed, from the
// database and from its own memory. Called by the RPCs of the log and by log-key-file.ts. It must never sign
// with keys, or continue a head, that the database does not have yet.

import type { Counter, Logger } from "@annals/chassis";
import type { Clock } from "@annals/contract";
import { internal, unavailable } from "@annals/errors";
import type { Database, Pool } from "@annals/postgres";
import type { Checkpoint } from "@annals/tlog";
import type { Epoch } from "./rules/check-sign-request.ts";
import { type LogKeyFile, NO_LOG_KEYS, signedCheckpoint } from "./rules/log-keys.ts";
import { type SignedHead, SignedHeads } from "./rules/signed-heads.ts";
import { findLeftOutKey, recordLogKeys } from "./store/log-keys.ts";
import {
  advanceSignedHead,
  beginSignedHead,
  getSignedHeads,
  type SignedHeadRow,
  succeedSignedHead,
} from "./store/signed-heads.ts";

export interface LogSignerDeps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly log: Logger;
  /** Counts reads of a head that went back. */
  readonly rollbacks: Pick<Counter, "inc">;
  /** Days that a key continues to sign along with a newer one. Undefined: one may be left out at once. */
  readonly overlapDays: number | undefined;
}

/** What was signed, as far as a request for one log needs to know. */
export interface Signed {
  /** The last head of the log itself. */
  readonly own: SignedHead | undefined;
  /** The log that follows it. */
  readonly succeededBy: string | undefined;
  /** The newest log, if it is another one. */
  readonly before: { readonly origin: string; readonly signed: SignedHead } | undefined;
  /** The log that continues in the database. */
  readonly current: SignedHeadRow | undefined;
}

export class LogSigner {
  readonly #deps: LogSignerDeps;
  readonly #seen = new SignedHeads();
  #file = NO_LOG_KEYS;
  /** The file whose keys the database has. */
  #recorded: LogKeyFile | undefined;

  constructor(deps: LogSignerDeps) {
    this.#deps = deps;
  }

  /** The keys of this moment. */
  get file(): LogKeyFile {
    return this.#file;
  }

  use(file: LogKeyFile): void {
    this.#file = file;
  }

  /** Throws `unavailable` without a key. */
  requireKeys(): LogKeyFile {
    if (this.#file.seeds.length === 0)
      throw unavailable("There is no log: ANNALS_LOG_KEY_FILE of keys is not set.");
    return this.#file;
  }

  /** Resolves to a sentence if the file leaves out a key that still has to sign. */
  async leftOut({ publicKeys }: LogKeyFile): Promise<string | undefined> {
    const { clock, database, overlapDays } = this.#deps;
    if (overlapDays === undefined) return undefined;
    const params = [publicKeys, clock.nowText(), overlapDays] as const;
    const [key] = await database.run(findLeftOutKey, [...params]);
    if (key === undefined) return undefined;
    const since = `${overlapDays} days after a newer key has first signed`;
    return (
      `leaves out the key with the public key ${key.public_key.toString("base64")}, which has signed: ` +
      `it must stay until ${key.until === null ? since : `${key.until}, ${since}`}`
    );
  }

  /** The largest head that was signed: the database may have been restored to an earlier one. */
  async largest(origin: string): Promise<SignedHead | undefined> {
    const { own } = await this.#read(origin);
    const seen = this.#seen.get(origin);
    return (own?.size ?? 0) < (seen?.size ?? 0) ? seen : own;
  }

  /** Throws `internal` if the head of the log went back. */
  async signed(origin: string): Promise<Signed> {
    const { isBack, ...signed } = await this.#read(origin);
    if (isBack) throw internal(`the signed head of ${origin} went back`);
    return signed;
  }

  /** Stores the epoch's head if nothing was signed meanwhile. Resolves to whether it was stored. */
  async advance({ head, origin }: Epoch, { current, own }: Signed): Promise<boolean> {
    const { clock, database } = this.#deps;
    const next = [String(head.size), head.root, clock.nowText()] as const;
    const begin = async (transaction: Database) => {
      if (current !== undefined)
        await transaction.run(succeedSignedHead, [current.origin, current.size, origin]);
      return transaction.run(beginSignedHead, [origin, ...next]);
    };
    const stored =
      own === undefined
        ? await database.transaction(begin)
        : await database.run(advanceSignedHead, [origin, String(own.size), own.root, ...next]);
    if (stored.length === 0) return false;
    this.#seen.continues(origin, head);
    this.#seen.seeCurrent(origin);
    return true;
  }

  /**
   * The checkpoint as a signed note. The keys are stored before their first signature leaves. Throws
   * `unavailable` if their file leaves one out too early.
   */
  async sign(file: LogKeyFile, checkpoint: Checkpoint): Promise<string> {
    if (this.#recorded !== file) {
      const fault = await this.leftOut(file);
      if (fault !== undefined) throw unavailable(`ANNALS_LOG_KEY_FILE ${fault}`);
      const { clock, database } = this.#deps;
      await database.run(recordLogKeys, [file.publicKeys, clock.nowText()]);
      this.#recorded = file;
    }
    return signedCheckpoint(file, checkpoint);
  }

  async #read(origin: string): Promise<Signed & { readonly isBack: boolean }> {
    const { database, log, rollbacks } = this.#deps;
    const rows = await database.run(getSignedHeads, [origin]);
    const row = rows.find((one) => one.origin === origin);
    const current = rows.find((one) => one.succeeded_by === null);
    const own = headOf(row);
    const isBack = !this.#seen.continues(origin, own);
    if (isBack) {
      rollbacks.inc();
      const fields = { origin, size: own?.size ?? 0, seen: this.#seen.get(origin)?.size };
      if (this.#seen.isNews(origin)) log.error(fields, "a signed head went back");
    }
    if (current !== undefined) this.#seen.seeCurrent(current.origin);
    const succeededBy = row?.succeeded_by ?? this.#seen.successorOf(origin);
    return { isBack, own, succeededBy, before: this.#before(origin, current), current };
  }

  #before(origin: string, row: SignedHeadRow | undefined): Signed["before"] {
    const { current } = this.#seen;
    if (current === undefined || current === origin) return undefined;
    const stored = row?.origin === current ? headOf(row) : undefined;
    this.#seen.continues(current, stored);
    const signed = this.#seen.get(current);
    return signed && { origin: current, signed };
  }
}

function headOf(row: SignedHeadRow | undefined): SignedHead | undefined {
  return row && { size: Number(row.size), root: row.root };
}
