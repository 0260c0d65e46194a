// Where a browser goes when a login has ended: a page of the dashboard, or the one that says why it failed.
// Called by begin-login.ts and finish-login.ts. It must never send a browser to another origin.

import { LoginFault } from "@annals/proto/keys";

const DASHBOARD = "/dashboard/";

/** The fragment of a page of the dashboard. */
const FRAGMENT = /^#\/[\w!$&'()*+,;=:@/?%.~-]{0,1000}$/;

/** The words that the dashboard has a text for. */
const FAULTS: ReadonlyMap<LoginFault, string> = new Map([
  [LoginFault.STATE, "state"],
  [LoginFault.UNREACHABLE, "unreachable"],
  [LoginFault.REFUSED, "refused"],
  [LoginFault.TOKEN, "token"],
  [LoginFault.GROUPS, "groups"],
  [LoginFault.BLOCKED, "blocked"],
]);

/** `returnTo` is a fragment; of any other text, the first page. */
export const pageAt = (returnTo: string): string =>
  DASHBOARD + (FRAGMENT.test(returnTo) ? returnTo : "#/");

/** A fragment of the dashboard, or empty for what cannot be one. */
export const fragmentOf = (text: unknown): string =>
  typeof text === "string" && FRAGMENT.test(text) ? text : "";

export function failurePage(
  { detail, fault }: { readonly fault: LoginFault; readonly detail: string },
  { provider, request }: { readonly provider: string; readonly request: string },
): string {
  const query = new URLSearchParams({ fault: FAULTS.get(fault) ?? "token", provider, request });
  if (detail !== "") query.set("detail", detail);
  return `${DASHBOARD}#/log-in?${query.toString()}`;
}
