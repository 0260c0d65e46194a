// The filters and the opened event in the query of the page's address, each under `annals_` and its name.
// Used by the element if the page asks for it. It must never touch another parameter of the address.

import type { EventFilter } from "./types.ts";
import { FILTER_NAMES } from "./views/filters.ts";

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
  const filter: EventFilter = {};
  for (const name of FILTER_NAMES) {
    const value = query.get(PREFIX + name);
    if (value !== null && value !== "") filter[name] = value;
  }
  return { filter, openEvent: query.get(EVENT) ?? "" };
}

/** Opening an event makes an entry of the history, which closing it leaves again. */
export function keepInAddress({ filter, openEvent }: AddressState): void {
  const address = new URL(location.href);
  const before = stateOfAddress();
  for (const name of FILTER_NAMES) set(address, PREFIX + name, filter[name]);
  set(address, EVENT, openEvent);
  if (address.href === location.href) return;
  const state = typeof history.state === "object" ? history.state : {};
  const isClosed = openEvent === "" && before.openEvent !== "";
  if (before.openEvent === "" && openEvent !== "")
    history.pushState({ ...state, [OPENED]: true }, "", address);
  else if (isClosed && isSame(filter, before.filter) && state?.[OPENED] === true) history.back();
  else history.replaceState(history.state, "", address);
}

export function isSame(one: EventFilter, other: EventFilter): boolean {
  return FILTER_NAMES.every((name) => (one[name] ?? "") === (other[name] ?? ""));
}

function set(address: URL, name: string, value: string | undefined): void {
  if (value === undefined || value === "") address.searchParams.delete(name);
  else address.searchParams.set(name, value);
}
