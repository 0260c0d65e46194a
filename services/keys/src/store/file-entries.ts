// The entries of the operator's identity file that a statement joins: its providers, or its issuers of
// workloads. What leaves the file gives nothing from the next statement on.

export type EntryParams = [
  names: readonly string[],
  issuers: readonly string[],
  /** Array literals; null for an entry of all accounts. */
  accounts: readonly (string | null)[],
];

/** The entries as a table. The parameters are {@link EntryParams}, from the given number on. */
export const fileEntries = (first: number): string => `(
    SELECT name, issuer, accounts
    FROM unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::text[]) AS given (name, issuer, accounts)
  )`;
