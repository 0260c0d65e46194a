// Who asks for a count: an API key, which may count all events of its account, or a widget token, which must
// not learn from a count what it hides. Called by the RPCs of counts, which say which of the two it is.

import type { Clock } from "@annals/contract";
import type { HandlerContext } from "@connectrpc/connect";
import { widgetViewOf } from "../events/widget-view.ts";
import type { SearchTurns } from "../search/search-turns.ts";
import type { Asker } from "./answer-counts.ts";
import { CLIENT_BOUNDS, WIDGET_BOUNDS } from "./bounds.ts";
import type { CountBounds } from "./count-events.ts";
import { timesOf } from "./count-times.ts";
import { allowedIn, timesIn } from "./widget-counts.ts";

export interface CountDeps {
  readonly clock: Clock;
  readonly searches: SearchTurns;
  /** Bounds of each count; by default those of who asks. Tests need smaller ones. */
  readonly countBounds?: CountBounds | undefined;
}

export function clientAsker(
  { countBounds: bounds = CLIENT_BOUNDS, searches }: CountDeps,
  accountId: string,
  { signal }: HandlerContext,
): Asker {
  const database = searches.of(accountId, "client", signal);
  const times = () => timesOf(database, accountId);
  return { database, accountId, bounds, allow: (own) => own, times };
}

/** Throws `permission_denied` for a call without a token. */
export function widgetAsker(
  { clock, countBounds: bounds = WIDGET_BOUNDS, searches }: CountDeps,
  accountId: string,
  context: HandlerContext,
): Asker {
  const database = searches.of(accountId, "widget", context.signal);
  const view = widgetViewOf(context);
  const times = timesIn(view, () => timesOf(database, accountId), clock);
  return { database, accountId, bounds, allow: allowedIn(view), times };
}
