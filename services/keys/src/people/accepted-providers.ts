// The identity providers whose people may use an account, as parameters of the statements that join them.
// Called by whatever finds the role of a person. A provider that leaves the operator's file gives nothing
// from the next statement on.

import type { ProviderParams } from "../store/mapped-role.ts";

interface AcceptedProvider {
  readonly name: string;
  readonly issuer: string;
  readonly accounts: "*" | readonly string[];
}

interface People {
  readonly people: readonly AcceptedProvider[];
}

/** What the operator's file says now. */
export interface AcceptedProviders {
  readonly current: People;
}

const made = new WeakMap<People, ProviderParams>();

/** Made once of each version of the file. The ids of accounts were checked when it was read. */
export function providerParams({ current }: AcceptedProviders): ProviderParams {
  const known = made.get(current);
  if (known) return known;
  const { people } = current;
  const params: ProviderParams = [
    people.map(({ name }) => name),
    people.map(({ issuer }) => issuer),
    people.map(({ accounts }) => (accounts === "*" ? null : `{${accounts.join(",")}}`)),
  ];
  made.set(current, params);
  return params;
}
