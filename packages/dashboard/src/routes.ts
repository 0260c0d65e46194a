// The screens and their addresses behind the `#`. Read by app.ts and the menu.

import type { Scope } from "@annals/sdk";

interface Screen {
  readonly title: string;
  /** Heading of the menu under which it is; undefined for one that stands alone. */
  readonly group?: string;
  /** The scope without which a person does not see it in the menu. */
  readonly scope?: Scope;
}

const DATA = "Data";
const CONNECTIONS = "Connections";
const ACCESS = "Access";

export const ROUTES = {
  overview: { title: "Overview" },
  events: { title: "Events", scope: "events:read" },
  verification: { title: "Verification", scope: "verify" },
  fields: { title: "Fields", group: DATA, scope: "keys:manage" },
  exports: { title: "Exports", group: DATA, scope: "export" },
  retention: { title: "Retention", group: DATA, scope: "keys:manage" },
  holds: { title: "Holds", group: DATA, scope: "keys:manage" },
  erasures: { title: "Erasures", group: DATA, scope: "keys:manage" },
  webhooks: { title: "Webhooks", group: CONNECTIONS, scope: "keys:manage" },
  sinks: { title: "Sinks", group: CONNECTIONS, scope: "keys:manage" },
  "widget-tokens": { title: "Widget tokens", group: CONNECTIONS, scope: "events:read" },
  keys: { title: "API keys", group: ACCESS, scope: "keys:manage" },
  workloads: { title: "Workloads", group: ACCESS, scope: "keys:manage" },
  "role-mappings": { title: "Role mappings", group: ACCESS, scope: "keys:manage" },
  people: { title: "People", group: ACCESS, scope: "keys:manage" },
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
  /** What of it is shown, such as filters. */
  readonly query: URLSearchParams;
}

/** `#/acct_1/webhooks/wh_1` is the webhook `wh_1`. Without a known screen it is that of events. */
export function routeOf(hash: string): Route {
  const [, path = "", after = ""] = /^([^?]*)\??(.*)$/.exec(hash) ?? [];
  const [, accountId, name = "", id] =
    /^#(?:\/(acct_\w{1,64}))?\/?([a-z-]*)(?:\/([a-z0-9_]{1,100}))?$/.exec(path) ?? [];
  const query = new URLSearchParams(after);
  return Object.hasOwn(ROUTES, name)
    ? { accountId, name: name as RouteName, id, query }
    : { accountId, name: "events", id: undefined, query };
}

/** Whether only what is shown of a screen differs. */
export const isSameScreen = (one: Route, other: Route): boolean =>
  one.accountId === other.accountId && one.name === other.name && one.id === other.id;

/** The address of a route below its account. */
export function pathOf({ id, name, query }: Omit<Route, "accountId">): string {
  const path = id === undefined ? name : `${name}/${id}`;
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** The address of a screen, with the account if the address names it. */
export const hrefOf = (accountId: string | undefined, path: string): string =>
  accountId === undefined ? `#/${path}` : `#/${accountId}/${path}`;

/** Screens of the menu that have the same heading, or none. */
export interface MenuGroup {
  readonly title: string | undefined;
  readonly items: readonly (readonly [RouteName, string])[];
}

/** The menu of a key, whose scopes are not known, or of a role. */
export function menuOf(
  scopes: readonly Scope[] | undefined,
  hasPeople: boolean,
): readonly MenuGroup[] {
  const groups: { title: string | undefined; items: [RouteName, string][] }[] = [];
  for (const [name, { title, group, scope }] of Object.entries(ROUTES) as [RouteName, Screen][]) {
    const isShown =
      scopes === undefined
        ? hasPeople || !OF_PEOPLE.includes(name)
        : scope === undefined || scopes.includes(scope);
    if (!isShown || name === "me") continue;
    const last = groups.at(-1);
    if (last && last.title === group) last.items.push([name, title]);
    else groups.push({ title: group, items: [[name, title]] });
  }
  return groups;
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
