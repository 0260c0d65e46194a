// The issuers whose workloads may use an account, as parameters of the statements that join them. Called by
// whatever admits a workload or makes one. An issuer that leaves the operator's file admits nothing from the
// next statement on.

import type { IssuerParams } from "../store/accepted-issuer.ts";

interface AcceptedIssuer {
  readonly name: string;
  readonly issuer: string;
  readonly accounts: "*" | readonly string[];
}

interface Workloads {
  readonly workloads: readonly AcceptedIssuer[];
}

/** What the operator's file says now. */
export interface AcceptedIssuers {
  readonly current: Workloads;
}

const made = new WeakMap<Workloads, IssuerParams>();

/** Made once of each version of the file. The ids of accounts were checked when it was read. */
export function issuerParams({ current }: AcceptedIssuers): IssuerParams {
  const known = made.get(current);
  if (known) return known;
  const { workloads } = current;
  const params: IssuerParams = [
    workloads.map(({ name }) => name),
    workloads.map(({ issuer }) => issuer),
    workloads.map(({ accounts }) => (accounts === "*" ? null : `{${accounts.join(",")}}`)),
  ];
  made.set(current, params);
  return params;
}

/** The entries of the file that the account may trust. */
export function issuersOf<Issuer extends AcceptedIssuer>(
  { current }: { readonly current: { readonly workloads: readonly Issuer[] } },
  accountId: string,
): Issuer[] {
  return current.workloads.filter(
    ({ accounts }) => accounts === "*" || accounts.includes(accountId),
  );
}
