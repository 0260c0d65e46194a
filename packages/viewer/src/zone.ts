// The zone of every time that the viewer shows, and which one the reader chose last. Used by the element, its
// texts and its views. It keeps the choice in the page's storage, if the page has one.

import type { Zone } from "./types.ts";

const KEY = "annals-viewer-zone";

export function keptZone(): Zone {
  try {
    return localStorage.getItem(KEY) === "utc" ? "utc" : "local";
  } catch {
    return "local";
  }
}

export function keepZone(zone: Zone): void {
  try {
    localStorage.setItem(KEY, zone);
  } catch {
    // A page without storage: the choice lasts as long as the element.
  }
}

/** Names the zone: "UTC", or the reader's, such as "Europe/Lisbon". */
export function zoneName(zone: Zone): string {
  return zone === "utc" ? "UTC" : new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Formats a time for the field of a browser, which has no zone and whole seconds. */
export function fieldOf(time: string | undefined, zone: Zone): string {
  const at = Date.parse(time ?? "");
  if (Number.isNaN(at)) return "";
  const ahead = zone === "utc" ? 0 : new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - ahead).toISOString().slice(0, 19);
}

/** Returns the time that a field means. */
export function timeOf(field: string, zone: Zone): Date {
  return new Date(zone === "utc" ? `${field}Z` : field);
}
