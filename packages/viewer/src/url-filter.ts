// The filters in the query of the page's address, each under `annals_` and its name. Used by the element
// if the page asks for it. It must never touch another parameter of the address.

import type { EventFilter } from "./types.ts";
import { FILTER_NAMES } from "./views/filters.ts";

const PREFIX = "annals_";

export function filterOfAddress(): EventFilter {
  const query = new URLSearchParams(location.search);
  const filter: EventFilter = {};
  for (const name of FILTER_NAMES) {
    const value = query.get(PREFIX + name);
    if (value !== null && value !== "") filter[name] = value;
  }
  return filter;
}

export function keepInAddress(filter: EventFilter): void {
  const address = new URL(location.href);
  for (const name of FILTER_NAMES) {
    const value = filter[name];
    if (value === undefined || value === "") address.searchParams.delete(PREFIX + name);
    else address.searchParams.set(PREFIX + name, value);
  }
  if (address.href !== location.href) history.replaceState(history.state, "", address);
}
