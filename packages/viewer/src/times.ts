// Times as the reader's browser writes them, in the zone that the viewer shows. Made by texts.ts.

import type { Zone } from "./types.ts";

/** What a table has of a time. The detail adds the zone, whose name may change with the season. */
const TIME = {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  second: "2-digit",
} as const;

export function timesIn(zone: Zone, locale: string) {
  const zoned = zone === "utc" ? { timeZone: "UTC" } : {};
  const short = new Intl.DateTimeFormat(locale, { ...TIME, ...zoned });
  const exact = new Intl.DateTimeFormat(locale, { ...TIME, ...zoned, timeZoneName: "short" });
  const minute = new Intl.DateTimeFormat(locale, {
    dateStyle: "medium",
    timeStyle: "short",
    ...zoned,
  });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "medium", ...zoned });
  const isMidnight = (time: number) => {
    const at = new Date(time);
    return zone === "utc"
      ? at.getUTCHours() + at.getUTCMinutes() === 0
      : at.getHours() + at.getMinutes() === 0;
  };
  return {
    zone,
    /** Returns the text unchanged if it is not a time. */
    short: (time: string): string => formatted(short, time),
    /** The same as `short`, with the zone. */
    exact: (time: string): string => formatted(exact, time),
    /** The same as `short`, without seconds. */
    minute: (time: string): string => formatted(minute, time),
    /** The time from one to before another, in milliseconds: of whole days only their dates. */
    span: (from: number, to: number): string => {
      if (to <= from) return `${minute.format(from)} – ${minute.format(to)}`;
      const isWhole = isMidnight(from) && isMidnight(to);
      return isWhole ? day.formatRange(from, to - 1) : minute.formatRange(from, to);
    },
  };
}

function formatted(format: Intl.DateTimeFormat, time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? time : format.format(at);
}
