// The texts and formats of one language. Made by the element whenever its language or its messages change.

import { de } from "./messages/de.ts";
import { en } from "./messages/en.ts";
import type { Messages } from "./types.ts";

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

/** `language` is that of the page; one that is not shipped has English texts and its own formats. */
export function textsOf(language: string, replaced: Partial<Messages>) {
  const locale = supported(language);
  const messages: Messages = { ...(locale.startsWith("de") ? de : en), ...replaced };
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });
  const number = new Intl.NumberFormat(locale);
  const list = new Intl.ListFormat(locale, { type: "conjunction" });
  return {
    /** The text with each name in braces replaced. */
    text: (name: keyof Messages, values: Values = {}): string =>
      messages[name].replaceAll(/\{(\w+)\}/g, (whole, key: string) => {
        const value = values[key];
        return typeof value === "number" ? number.format(value) : (value ?? whole);
      }),
    list: (words: readonly string[]): string => list.format(words),
    /** Returns the text unchanged if it is not a time. */
    exact: (time: string): string => {
      const at = Date.parse(time);
      return Number.isNaN(at) ? time : exact.format(at);
    },
    relative: (time: string, now: number): string => {
      const seconds = (Date.parse(time) - now) / 1000;
      if (Number.isNaN(seconds)) return time;
      const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ["second", 1];
      return relative.format(Math.round(seconds / size), unit);
    },
  };
}

function supported(language: string): string {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(language)[0] ?? "en";
  } catch {
    return "en";
  }
}
