// Runs the statements of searches, a few at a time per ledger, so that any number of lists leaves connections
// and CPU to appends. Accounts take turns, statement by statement. An account has up to two statements at a
// time; its widget tokens have up to one, as do its exports and webhooks. Called by the handlers that list or
// stream events. A turn ends only when PostgreSQL has ended its statement.

import { Slots } from "@annals/contract";
import { AnnalsError, unavailable } from "@annals/errors";
import { type Database, parameterBytes, type Pool } from "@annals/postgres";

/** Maximum statements at a time, in all and per account. */
const CONCURRENCY = 4;
const PER_ACCOUNT = 2;

/** For whom an account's events are read. Each kind has a line, and a share of the account's statements. */
const OF_KIND = { client: 2, widget: 1, service: 1 } as const;

type Kind = keyof typeof OF_KIND;

const KINDS = Object.keys(OF_KIND) as Kind[];

/** Maximum statements that wait, and bytes of their parameters: per line, and in all. */
const MAX_WAITING_OF_LINE = 64;
const MAX_WAITING = 4_096;
const MAX_WAITING_BYTES_OF_LINE = 8 * 1024 * 1024;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

export class SearchTurns {
  readonly #database: Pick<Pool, "forAccount">;
  readonly #slots = new Slots({ total: CONCURRENCY, mayHave, refuse });

  constructor(database: Pick<Pool, "forAccount">) {
    this.#database = database;
  }

  /** Returns what runs the statements of one call, each in its turn, until the caller leaves. */
  of(accountId: string, kind: Kind, signal: AbortSignal): Database {
    const line = `${kind} ${accountId}`;
    const database = this.#database.forAccount(accountId, signal);
    return {
      run: (statement, params) =>
        this.#slots.run(
          line,
          () => database.run(statement, params),
          signal,
          () => parameterBytes(params),
        ),
    };
  }
}

function mayHave(line: string, slots: Slots): boolean {
  const [kind, accountId] = parts(line);
  if (slots.heldBy(line) >= OF_KIND[kind]) return false;
  const ofAccount = KINDS.map((each) => slots.heldBy(`${each} ${accountId}`));
  return ofAccount.reduce((sum, one) => sum + one, 0) < PER_ACCOUNT;
}

function refuse(line: string, bytes: number, slots: Slots): AnnalsError | undefined {
  const ofLine = slots.waitingOf(line);
  if (ofLine.items >= MAX_WAITING_OF_LINE || ofLine.bytes + bytes > MAX_WAITING_BYTES_OF_LINE) {
    const message = "Too many queued lists for this account. Try again.";
    return new AnnalsError("rate_limited", message, { retryAfterS: 1 });
  }
  if (slots.waiting >= MAX_WAITING || slots.waitingBytes + bytes > MAX_WAITING_BYTES)
    return unavailable("Too many lists are queued. Try again.");
  return undefined;
}

function parts(line: string): readonly [kind: Kind, accountId: string] {
  const at = line.indexOf(" ");
  return [line.slice(0, at) as Kind, line.slice(at + 1)];
}
