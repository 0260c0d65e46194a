// What the identity file accepts now, as parameters of the statements that join it. Called by whatever admits
// a person or a workload, or finds a role.

import type { EntryParams } from "../store/file-entries.ts";

/** An identity provider, or an issuer of workloads. */
interface AcceptedEntry {
  readonly name: string;
  readonly issuer: string;
  readonly accounts: "*" | readonly string[];
}

/** What the operator's file says now. */
export interface AcceptedProviders {
  readonly current: { readonly people: readonly AcceptedEntry[] };
}

/** What the operator's file says now. */
export interface AcceptedIssuers {
  readonly current: { readonly workloads: readonly AcceptedEntry[] };
}

const made = new WeakMap<readonly AcceptedEntry[], EntryParams>();

/** Made once of each version of the file. The ids of accounts were checked when it was read. */
export function entryParams(entries: readonly AcceptedEntry[]): EntryParams {
  const known = made.get(entries);
  if (known) return known;
  const params: EntryParams = [
    entries.map(({ name }) => name),
    entries.map(({ issuer }) => issuer),
    entries.map(({ accounts }) => (accounts === "*" ? null : `{${accounts.join(",")}}`)),
  ];
  made.set(entries, params);
  return params;
}

/** The entries that the account may use. */
export function entriesOf<Entry extends AcceptedEntry>(
  entries: readonly Entry[],
  accountId: string,
): Entry[] {
  return entries.filter(({ accounts }) => accounts === "*" || accounts.includes(accountId));
}
