// Times, counts and sizes as a reader wants them; the exact time of the service is in the title.

import { html, type TemplateResult } from "lit/html.js";

/** Formats times as the reader's browser does. */
const formatIn = (timeZone: string | undefined) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium", timeZone });

let shown = formatIn(undefined);

/** Times that are shown from now on are in this zone. */
export function showTimesIn(zone: "local" | "utc"): void {
  shown = formatIn(zone === "utc" ? "UTC" : undefined);
}

const NUMBER = new Intl.NumberFormat("en");
const KIB = 1024;
const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;
const UNITS = ["bytes", "KiB", "MiB", "GiB"] as const;

/** In the zone that the header names. */
export function timeView(text: string | null | undefined): TemplateResult {
  if (text === null || text === undefined) return html`<span>–</span>`;
  const at = new Date(text);
  const written = Number.isNaN(at.getTime()) ? text : shown.format(at);
  return html`<time datetime=${text} title=${text}>${written}</time>`;
}

export const numberText = (value: number): string => NUMBER.format(value);

/** `1 event`, `2,000 events`. */
export const countText = (count: number, what: string): string =>
  `${numberText(count)} ${what}${count === 1 ? "" : "s"}`;

/** `45 s`, `12 min`, `3 h`, `2 days`. */
export function durationText(seconds: number): string {
  if (seconds < MINUTE_S) return `${Math.round(seconds)} s`;
  if (seconds < HOUR_S) return `${Math.round(seconds / MINUTE_S)} min`;
  if (seconds < DAY_S) return `${Math.round(seconds / HOUR_S)} h`;
  return countText(Math.round(seconds / DAY_S), "day");
}

export function sizeText(bytes: number | null): string {
  if (bytes === null) return "–";
  let value = bytes;
  let unit = 0;
  while (value >= KIB && unit < UNITS.length - 1) {
    value /= KIB;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit] ?? ""}`;
}
