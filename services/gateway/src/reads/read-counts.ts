// Counts the reads of each API key, widget token, person and workload, by route and minute, for the
// operator's audit. Called by read-audit.ts for each response to one of them. It must never hold more rows
// than its bounds: reads beyond them are counted together in one row, so that the audit says how many it does
// not list.

import { type AuditActorType, type Clock, SYSTEM_ACCOUNT_ID } from "@annals/contract";

/** Rows of a minute: of one account, which is what other services record in a minute, and in all. */
const MAX_ROWS_OF_ACCOUNT = 20;
export const MAX_ROWS = 1_000;
/** Length of YYYY-MM-DDTHH:MM. */
const MINUTE_LENGTH = 16;

/** Who reads. */
export type Reader = Exclude<AuditActorType, "operator" | "service">;

export interface Read {
  readonly accountId: string;
  /** Id of the reader. */
  readonly keyId: string;
  readonly reader: Reader;
  /** The pattern, such as `/v1/events/:id`. */
  readonly route: string;
  /** The address that it came from. */
  readonly ip: string;
  /** Whether it got an error. */
  readonly isFailed: boolean;
}

interface Counted {
  readonly accountId: string;
  /** UTC, 2026-01-31T09:30Z. */
  readonly minute: string;
  reads: number;
  failed: number;
  /** Times of the first and the last one. */
  readonly since: string;
  until: string;
}

/** The reads of one reader by one route. */
export interface ReadRow extends Counted {
  readonly kind: "key";
  readonly keyId: string;
  readonly reader: Reader;
  readonly route: string;
  readonly firstIp: string;
  lastIp: string;
}

/** Further reads of an account, or of all accounts together: then the account is the system account. */
export interface FurtherRow extends Counted {
  readonly kind: "further";
}

export class ReadCounts {
  readonly #clock: Pick<Clock, "nowText">;
  #minute = "";
  #rows = new Map<string, ReadRow>();
  /** How many rows an account has. */
  #ofAccount = new Map<string, number>();
  /** Rows of what is beyond the bounds, by account. */
  #further = new Map<string, FurtherRow>();
  /** Rows of minutes that are over. */
  #over: (ReadRow | FurtherRow)[] = [];

  constructor(clock: Pick<Clock, "nowText">) {
    this.#clock = clock;
  }

  record(read: Read): void {
    const now = this.#clock.nowText();
    this.#turn(now);
    // A person has one id in all accounts.
    const name = `${read.accountId} ${read.keyId} ${read.route}`;
    const known = this.#rows.get(name);
    if (known) {
      known.lastIp = read.ip;
      count(known, read, now);
      return;
    }
    const rows = this.#ofAccount.get(read.accountId) ?? 0;
    const hasRoom = this.#rows.size < MAX_ROWS;
    if (hasRoom && rows < MAX_ROWS_OF_ACCOUNT) {
      this.#ofAccount.set(read.accountId, rows + 1);
      this.#rows.set(name, { ...rowOf(read, now), kind: "key", ...placeOf(read) });
      return;
    }
    // Accounts that have rows are few enough for a row of their own.
    const accountId = rows > 0 ? read.accountId : SYSTEM_ACCOUNT_ID;
    const further = this.#further.get(accountId);
    if (further) count(further, read, now);
    else this.#further.set(accountId, { ...rowOf({ ...read, accountId }, now), kind: "further" });
  }

  get isEmpty(): boolean {
    return this.#rows.size + this.#further.size + this.#over.length === 0;
  }

  /** The rows of minutes that are over, or all rows. Each is returned once. */
  take({ all }: { readonly all: boolean }): (ReadRow | FurtherRow)[] {
    this.#turn(all ? "" : this.#clock.nowText());
    const over = this.#over;
    this.#over = [];
    return over;
  }

  /** Begins another minute, if it is one. */
  #turn(now: string): void {
    const minute = now.slice(0, MINUTE_LENGTH);
    if (minute === this.#minute) return;
    this.#over.push(...this.#rows.values(), ...this.#further.values());
    this.#minute = minute;
    this.#rows = new Map();
    this.#ofAccount = new Map();
    this.#further = new Map();
  }
}

function rowOf({ accountId, isFailed }: Pick<Read, "accountId" | "isFailed">, now: string) {
  const minute = `${now.slice(0, MINUTE_LENGTH)}Z`;
  return { accountId, minute, reads: 1, failed: isFailed ? 1 : 0, since: now, until: now };
}

function placeOf({ ip, keyId, reader, route }: Read) {
  return { keyId, reader, route, firstIp: ip, lastIp: ip };
}

function count(row: Counted, { isFailed }: Pick<Read, "isFailed">, now: string): void {
  row.reads += 1;
  if (isFailed) row.failed += 1;
  row.until = now;
}
