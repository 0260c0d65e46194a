// The screens and their addresses behind the `#`. Read by app.ts and the menu.

import type { Scope } from "@annals/sdk";

interface Screen {
  readonly title: string;
  /** The scope without which a person does not see it in the menu. */
  readonly scope?: Scope;
}

export const ROUTES = {
  events: { title: "Events", scope: "events:read" },
  verification: { title: "Verification", scope: "verify" },
  keys: { title: "API keys", scope: "keys:manage" },
  webhooks: { title: "Webhooks", scope: "keys:manage" },
  sinks: { title: "Sinks", scope: "keys:manage" },
  exports: { title: "Exports", scope: "export" },
  retention: { title: "Retention", scope: "keys:manage" },
  holds: { title: "Holds", scope: "keys:manage" },
  erasures: { title: "Erasures", scope: "keys:manage" },
  "widget-tokens": { title: "Widget tokens", scope: "events:read" },
  workloads: { title: "Workloads", scope: "keys:manage" },
  "role-mappings": { title: "Role mappings", scope: "keys:manage" },
  people: { title: "People", scope: "keys:manage" },
  usage: { title: "Usage" },
  me: { title: "Your login" },
} as const satisfies Readonly<Record<string, Screen>>;

export type RouteName = keyof typeof ROUTES;

/** Screens about how people log in. */
const OF_PEOPLE: readonly RouteName[] = ["role-mappings", "people"];

export interface Route {
  /** Undefined in the addresses of a key, which has one account. */
  readonly accountId: string | undefined;
  readonly name: RouteName;
  /** Id of what the screen shows, such as a webhook. */
  readonly id: string | undefined;
}

/** `#/acct_1/webhooks/wh_1` is the webhook `wh_1`. Without a known screen it is the first one. */
export function routeOf(hash: string): Route {
  const [, accountId, name = "", id] =
    /^#(?:\/(acct_\w{1,64}))?\/?([a-z-]*)(?:\/([a-z0-9_]{1,100}))?$/.exec(hash) ?? [];
  return Object.hasOwn(ROUTES, name)
    ? { accountId, name: name as RouteName, id }
    : { accountId, name: "events", id: undefined };
}

/** The address of a screen, with the account if the address names it. */
export const hrefOf = (accountId: string | undefined, path: string): string =>
  accountId === undefined ? `#/${path}` : `#/${accountId}/${path}`;

/** The menu of a key, whose scopes are not known, or of a role. */
export function menuOf(
  scopes: readonly Scope[] | undefined,
  hasPeople: boolean,
): readonly (readonly [RouteName, string])[] {
  return (Object.entries(ROUTES) as [RouteName, Screen][])
    .filter(([name, { scope }]) => {
      if (name === "me") return false;
      if (scopes === undefined) return hasPeople || !OF_PEOPLE.includes(name);
      return scope === undefined || scopes.includes(scope);
    })
    .map(([name, { title }]) => [name, title]);
}

/** Why a login failed, in the address to which the gateway sends the browser. */
export interface Fault {
  readonly fault: string;
  readonly provider: string;
  readonly detail: string;
  readonly requestId: string;
}

const LOG_IN = "#/log-in";

export function faultOf(hash: string): Fault | undefined {
  if (!hash.startsWith(`${LOG_IN}?`)) return undefined;
  const query = new URLSearchParams(hash.slice(LOG_IN.length));
  const given = (name: string) => query.get(name) ?? "";
  const [fault, provider, detail] = [given("fault"), given("provider"), given("detail")];
  return { fault, provider, detail, requestId: given("request") };
}
