// Times as text (interface 6): UTC, `Z`, exactly six fraction digits, fixed width, so that plain byte
// order is time order. The clock formats with it, the gateway parses what clients send. Nothing here, and
// nothing that holds such a text, may turn it into a JavaScript Date: a Date has milliseconds, and the
// microseconds are hashed.
//
// The calendar is the proleptic Gregorian one, years 0000 to 9999, without leap seconds: one that a client
// sends is read as the last microsecond before it.

const MICROS_PER_SECOND = 1_000_000;
const SECONDS_PER_DAY = 86_400;
const MICROS_PER_DAY = SECONDS_PER_DAY * MICROS_PER_SECOND;
const MINUTES_PER_DAY = 1440;

/** Days of 400 Gregorian years, after which the calendar repeats. */
const DAYS_PER_CYCLE = 146_097;
/** Days from 0000-03-01, where the day count of a cycle starts, to 1970-01-01. */
const EPOCH_DAY = 719_468;

/** The minute of a day that a leap second ends: 23:59 in UTC. */
const LAST_MINUTE = MINUTES_PER_DAY - 1;
const BEFORE_LEAP = "59.999999";

/** Fraction digits kept: microseconds. */
const FRACTION_DIGITS = 6;

/**
 * Formats microseconds since the Unix epoch as `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
 * Exact for every safe integer (years 1684 to 2255); throws RangeError for anything else.
 */
export function formatMicros(micros: number): string {
  if (!Number.isSafeInteger(micros))
    throw new RangeError("a time must be a safe integer of microseconds");
  // The remainder is exact where a floored quotient is not: near the ends of the range it can round up a day.
  const ofDay = micros % MICROS_PER_DAY;
  const withinDay = ofDay < 0 ? ofDay + MICROS_PER_DAY : ofDay;
  const day = (micros - withinDay) / MICROS_PER_DAY;
  const fraction = withinDay % MICROS_PER_SECOND;
  const second = (withinDay - fraction) / MICROS_PER_SECOND;
  const minute = Math.floor(second / 60);
  const time = `${two(Math.floor(minute / 60))}:${two(minute % 60)}:${two(second % 60)}`;
  return `${formatDay(day)}T${time}.${String(fraction).padStart(FRACTION_DIGITS, "0")}Z`;
}

/**
 * Reads an ISO 8601 date and time in the extended form and returns the same instant as
 * `YYYY-MM-DDTHH:MM:SS.ffffffZ`, or undefined if the text is not such an instant.
 *
 * Accepted: `YYYY-MM-DD`, `T` or `t`, `hh:mm` or `hh:mm:ss`, after seconds a fraction of any length behind
 * `.` or `,`, then `Z`, `z`, `+hh`, `+hhmm` or `+hh:mm` (or with `-`, up to 23:59). Fraction digits beyond
 * the sixth are cut, not rounded: a rounded time could lie after the moment it tells of.
 *
 * Second 60 (RFC 3339, 5.7) is read as 59.999999 if it is that of 23:59 in UTC, where leap seconds are.
 *
 * Refused: a time without an offset (it names no instant, and a guess would be evidence made up), a date
 * that does not exist, hour 24, any other second 60, white space, and an instant outside the years 0000 to
 * 9999 once it is in UTC.
 */
export function parseTimestamp(text: string): string | undefined {
  const separator = text.charCodeAt(10);
  if (separator !== UPPER_T && separator !== LOWER_T) return undefined;
  if (text.charCodeAt(4) !== MINUS || text.charCodeAt(7) !== MINUS || text.charCodeAt(13) !== COLON)
    return undefined;

  const year = digits(text, 0, 4);
  const month = digits(text, 5, 2);
  const dayOfMonth = digits(text, 8, 2);
  const hour = digits(text, 11, 2);
  const minute = digits(text, 14, 2);
  if (year < 0 || month < 1 || month > 12 || dayOfMonth < 1 || dayOfMonth > daysIn(year, month))
    return undefined;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) return undefined;

  const seconds = readSeconds(text);
  const offset = seconds && readOffset(text, seconds.end);
  if (seconds === undefined || offset === undefined) return undefined;
  if (
    seconds.isLeap &&
    (hour * 60 + minute - offset + 2 * MINUTES_PER_DAY) % MINUTES_PER_DAY !== LAST_MINUTE
  )
    return undefined;
  if (offset === 0) return `${text.slice(0, 10)}T${text.slice(11, 16)}:${seconds.text}Z`;

  const shifted = hour * 60 + minute - offset;
  const carry = Math.floor(shifted / MINUTES_PER_DAY);
  const utcMinute = shifted - carry * MINUTES_PER_DAY;
  const day = dayNumber(year, month, dayOfMonth) + carry;
  if (day < FIRST_DAY || day > LAST_DAY) return undefined;
  return `${formatDay(day)}T${two(Math.floor(utcMinute / 60))}:${two(utcMinute % 60)}:${seconds.text}Z`;
}

interface Seconds {
  /** `ss.ffffff` */
  readonly text: string;
  readonly end: number;
  /** Whether it is a leap second, which is read as the microsecond before it. */
  readonly isLeap: boolean;
}

/** Reads `:ss`, `:ss.f…` or nothing at position 16. */
function readSeconds(text: string): Seconds | undefined {
  if (text.charCodeAt(16) !== COLON) return { text: "00.000000", end: 16, isLeap: false };
  const second = digits(text, 17, 2);
  if (second < 0 || second > 60) return undefined;
  const isLeap = second === 60;
  const whole = isLeap ? BEFORE_LEAP : `${text.slice(17, 19)}.000000`;
  const point = text.charCodeAt(19);
  if (point !== POINT && point !== COMMA) return { text: whole, end: 19, isLeap };
  let end = 20;
  while (isDigit(text.charCodeAt(end))) end += 1;
  if (end === 20) return undefined;
  if (isLeap) return { text: whole, end, isLeap };
  const fraction = text.slice(20, Math.min(end, 20 + FRACTION_DIGITS)).padEnd(FRACTION_DIGITS, "0");
  return { text: `${text.slice(17, 19)}.${fraction}`, end, isLeap };
}

/** Reads the offset that must fill the rest of the text; returns minutes east of UTC. */
function readOffset(text: string, start: number): number | undefined {
  const sign = text.charCodeAt(start);
  const rest = text.length - start;
  if (sign === UPPER_Z || sign === LOWER_Z) return rest === 1 ? 0 : undefined;
  if (sign !== PLUS && sign !== MINUS) return undefined;
  const hour = digits(text, start + 1, 2);
  let minute = 0;
  if (rest === 6 && text.charCodeAt(start + 3) === COLON) minute = digits(text, start + 4, 2);
  else if (rest === 5) minute = digits(text, start + 3, 2);
  else if (rest !== 3) return undefined;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) return undefined;
  const total = hour * 60 + minute;
  return sign === MINUS && total > 0 ? -total : total;
}

/**
 * The day's number, 0 being 1970-01-01. The year is counted from March, which puts the leap day at its end.
 */
function dayNumber(year: number, month: number, dayOfMonth: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const marchMonth = (month + 9) % 12;
  const leapDays =
    Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + daysBeforeMarchMonth(marchMonth) + dayOfMonth - 1 - EPOCH_DAY;
}

/** `YYYY-MM-DD` of a day's number; the inverse of `dayNumber`. */
function formatDay(day: number): string {
  const sinceMarch0 = day + EPOCH_DAY;
  const cycle = Math.floor(sinceMarch0 / DAYS_PER_CYCLE);
  const dayOfCycle = sinceMarch0 - cycle * DAYS_PER_CYCLE;
  // Take out the leap days that lie before this day: one in 4 years (1461 days), but not at the end of a
  // century (36,524 days), save at the end of the cycle.
  const leapDays =
    Math.floor(dayOfCycle / 1460) -
    Math.floor(dayOfCycle / 36_524) +
    Math.floor(dayOfCycle / (DAYS_PER_CYCLE - 1));
  const yearOfCycle = Math.floor((dayOfCycle - leapDays) / 365);
  const yearStart = yearOfCycle * 365 + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100);
  const dayOfYear = dayOfCycle - yearStart;
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0);
  const dayOfMonth = dayOfYear - daysBeforeMarchMonth(marchMonth) + 1;
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(dayOfMonth)}`;
}

/** Days of a year before its month, months counted from March = 0: five months are always 153 days. */
function daysBeforeMarchMonth(marchMonth: number): number {
  return Math.floor((153 * marchMonth + 2) / 5);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** The number that `count` ASCII digits at `start` spell, or -1 when they are not all digits. */
function digits(text: string, start: number, count: number): number {
  let value = 0;
  for (let at = start; at < start + count; at += 1) {
    const code = text.charCodeAt(at);
    if (!isDigit(code)) return -1;
    value = value * 10 + code - ZERO;
  }
  return value;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const UPPER_T = 0x54;
const UPPER_Z = 0x5a;
const LOWER_T = 0x74;
const LOWER_Z = 0x7a;

const FIRST_DAY = dayNumber(0, 1, 1);
const LAST_DAY = dayNumber(9999, 12, 31);

/** The first moment of a day, `YYYY-MM-DD`, as a time in text. */
export const firstMomentOf = (day: string): string => `${day}T00:00:00.000000Z`;
