// The filters and the opened event in the query of the page's address, each under `annals_` and its name.
// Used by the element if the page asks for it. It must never touch another parameter of the address.

import { isFilterName } from "@annals/query";
import { filterFrom, filtersOf, isSame } from "./filter.ts";
import type { EventFilter } from "./types.ts";

const PREFIX = "annals_";
const EVENT = `${PREFIX}event`;
/** Marks an entry of the history that was made by opening an event: Back closes it. */
const OPENED = "annalsOpened";

export interface AddressState {
  readonly filter: EventFilter;
  readonly openEvent: string;
}

export function stateOfAddress(): AddressState {
  const query = new URLSearchParams(location.search);
  const filters = [...query.keys()].flatMap((key) => {
    const name = nameIn(key);
    return name === undefined ? [] : [[name, query.getAll(key)] as const];
  });
  const filter = filterFrom(filtersOf(Object.fromEntries(filters)));
  return { filter, openEvent: query.get(EVENT) ?? "" };
}

/** Opening an event makes an entry of the history, which closing it leaves again. */
export function keepInAddress({ filter, openEvent }: AddressState): void {
  const address = new URL(location.href);
  const before = stateOfAddress();
  const { searchParams } = address;
  const kept = [...searchParams.keys()].filter((key) => key === EVENT || nameIn(key) !== undefined);
  for (const key of kept) searchParams.delete(key);
  for (const [name, values] of Object.entries(filtersOf(filter)))
    for (const value of values) searchParams.append(PREFIX + name, value);
  if (openEvent !== "") searchParams.set(EVENT, openEvent);
  if (isSame(filter, before.filter) && openEvent === before.openEvent) return;
  const state = typeof history.state === "object" ? history.state : {};
  const isClosed = openEvent === "" && before.openEvent !== "";
  if (before.openEvent === "" && openEvent !== "")
    history.pushState({ ...state, [OPENED]: true }, "", address);
  else if (isClosed && isSame(filter, before.filter) && state?.[OPENED] === true) history.back();
  else history.replaceState(history.state, "", address);
}

/** The filter that a parameter of the address has; undefined for any other parameter. */
function nameIn(key: string): string | undefined {
  const name = key.slice(PREFIX.length);
  return key.startsWith(PREFIX) && isFilterName(name) ? name : undefined;
}
