// The texts and formats of one language. Made by the element whenever its language or its messages change.

import { de } from "./messages/de.ts";
import { en } from "./messages/en.ts";
import { timesIn } from "./times.ts";
import type { Messages, Zone } from "./types.ts";

type Values = Readonly<Record<string, string | number>>;
export type Texts = ReturnType<typeof textsOf>;

/** The largest unit first, in seconds. */
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_556_952],
  ["month", 2_629_746],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** Finds the language of the page around an element. */
export function languageOf(element: HTMLElement): string {
  return element.closest<HTMLElement>("[lang]")?.lang ?? navigator.language;
}

/**
 * `language` is that of the page; one that is not shipped has English texts and its own numbers. Times are
 * written as in the reader's browser, in `zone`.
 */
export function textsOf(language: string, replaced: Partial<Messages>, zone: Zone) {
  const locale = supported(language);
  const messages: Messages = { ...(locale.startsWith("de") ? de : en), ...replaced };
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const times = timesIn(zone, supported(navigator.language));
  const number = new Intl.NumberFormat(locale);
  const list = new Intl.ListFormat(locale, { type: "conjunction" });
  /** The text with each name in braces replaced. */
  const text = (name: keyof Messages, values: Values = {}): string =>
    messages[name].replaceAll(/\{(\w+)\}/g, (whole, key: string) => {
      const value = values[key];
      return typeof value === "number" ? number.format(value) : (value ?? whole);
    });
  return {
    text,
    list: (words: readonly string[]): string => list.format(words),
    number: (value: number): string => number.format(value),
    ...times,
    /** A range of time, one end of which may be open. */
    range: (from: string | undefined, to: string | undefined): string => {
      if (from === undefined) return text("until", { time: times.minute(to ?? "") });
      if (to === undefined) return text("since", { time: times.minute(from) });
      const [start, end] = [Date.parse(from), Date.parse(to)];
      return Number.isNaN(start + end) ? `${from} – ${to}` : times.span(start, end);
    },
    /** The span of so many hours or days that ends now. */
    last: (size: number, unit: string): string => {
      const span = new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" });
      return text("lastSpan", { span: span.format(size) });
    },
    relative: (time: string, now: number): string => {
      const seconds = (Date.parse(time) - now) / 1000;
      if (Number.isNaN(seconds)) return time;
      const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ["second", 1];
      return relative.format(Math.round(seconds / size), unit);
    },
  };
}

/** A browser may name a language that its own formats do not know. */
function supported(language: string): string {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(language)[0] ?? "en";
  } catch {
    return "en";
  }
}
