// The screens and their addresses behind the `#`. Read by app.ts and the menu.

export const ROUTES = {
  events: "Events",
  verification: "Verification",
  keys: "API keys",
  webhooks: "Webhooks",
  sinks: "Sinks",
  exports: "Exports",
  "widget-tokens": "Widget tokens",
  usage: "Usage",
} as const;

export type RouteName = keyof typeof ROUTES;

export interface Route {
  readonly name: RouteName;
  /** Id of what the screen shows, such as a webhook. */
  readonly id: string | undefined;
}

/** Shown if the address names no screen, or one that does not exist. */
const FIRST: Route = { name: "events", id: undefined };

/** `#/webhooks/wh_1` is the webhook `wh_1`. */
export function routeOf(hash: string): Route {
  const [, name = "", id] = /^#\/([a-z-]+)(?:\/([a-z0-9_]{1,100}))?$/.exec(hash) ?? [];
  return Object.hasOwn(ROUTES, name) ? { name: name as RouteName, id } : FIRST;
}
