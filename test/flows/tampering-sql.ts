// What a kind of tampering is, and the SQL that several of them share.

import type { TestDatabase } from "@annals/testing";

export type Owner = Pick<TestDatabase, "query">;

export interface Kind {
  readonly name: string;
  readonly tamper: (owner: Owner, accountId: string) => Promise<unknown>;
  readonly first: number;
  readonly reason: string;
}

export const EVENTS = 200;
/** The event that most kinds change. */
export const AT = 100;

/** A kind in SQL: each statement takes the account as $1. */
export function sql(name: string, statements: readonly string[], reason: string, first = AT): Kind {
  const tamper = async (owner: Owner, accountId: string) => {
    for (const statement of statements) await owner.query(statement, [accountId]);
  };
  return { name, tamper, first, reason };
}

export const where = (condition: string) => `WHERE account_id = $1 AND ${condition}`;
export const deleteEvents = (condition: string) => `DELETE FROM ledger.events ${where(condition)}`;
