// Declared fields in tests: events with values and with what is none, and what each value of a filter
// selects, by the plain definition. Imported by tests only.

import { isInNetworks, plainAddress } from "@annals/contract";
import { isIP } from "node:net";

/** Addresses, numbers, times and texts of event n, and some that are none. */
export const CONTEXT = `'{' || CASE
    WHEN n % 1000 = 1 THEN '"at":"2026-01-02T01:00:00.25+02:00","ip":"::ffff:10.0.0.1","ms":-0,"tags":[]'
    WHEN n % 1000 = 2 THEN '"at":"2026-02-30T00:00:00Z","ip":"10.0.0.01","ms":"5","tags":[["a"],{"a":"b"}]'
    WHEN n % 1000 = 3 THEN '"at":"2026-01-01","ip":5,"ms":1e+300,"tags":[true,5,null,"é"]'
    WHEN n % 1000 = 4 THEN '"at":["2026-01-03T00:00:00Z",1],"ip":["2001:DB8::1","10.1.2.3"],"ms":[1,-1.5e-7],"tags":"A"'
    WHEN n % 1000 = 5 THEN '"tags":["' || repeat('A', 300) || '"]'
    WHEN n % 1000 = 6 THEN '"in":{"ip":"10.0.0.9"},"tags":[' || (SELECT string_agg(i::text, ',') FROM generate_series(1, 20) AS i) || ']'
    WHEN n % 1000 = 7 THEN '"ms":5,"z":"' || repeat('x', 17000) || '"'
    ELSE '"at":"2026-01-' || lpad((1 + n % 28)::text, 2, '0') || 'T00:00:0' || n % 10 || '.5Z","ip":"203.0.' || n % 64 || '.'
      || n % 256 || '","ms":' || (n % 1000 - 500) / 4.0 || ',"tags":["t' || n % 300 || '","' || chr((65 + n % 26)::integer) || '"]'
  END || '}'`;

export interface Declared {
  readonly field: number;
  readonly name: string;
  readonly type: string;
  readonly ignoreCase: boolean;
}
export const FIELDS: readonly Declared[] = [
  { field: 16, name: "ip", type: "ip", ignoreCase: false },
  { field: 17, name: "ms", type: "number", ignoreCase: false },
  { field: 18, name: "at", type: "time", ignoreCase: false },
  { field: 19, name: "tags", type: "string", ignoreCase: true },
];

type Test = (value: unknown) => boolean;
const isAddress = (value: unknown): value is string => typeof value === "string" && isIP(value) > 0;
const inNetwork =
  (network: string): Test =>
  (value) =>
    isAddress(value) && isInNetworks(plainAddress(value), [network]);
const number =
  (is: (value: number) => boolean): Test =>
  (value) =>
    typeof value === "number" && is(value);
const isTime = (value: unknown): value is string =>
  typeof value === "string" && value.includes("T") && !value.includes("-30T");
const time =
  (from: string, to: string): Test =>
  (value) =>
    isTime(value) && Date.parse(value) >= Date.parse(from) && Date.parse(value) < Date.parse(to);
const text =
  (is: (value: string) => boolean): Test =>
  (value) =>
    ["string", "number", "boolean"].includes(typeof value) &&
    is((value as string | number | boolean).toString().toLowerCase());

/** What each value of a filter selects. */
export const SELECTS: Readonly<Record<string, Readonly<Record<string, Test>>>> = {
  ip: {
    "203.0.7.7": (value) => value === "203.0.7.7",
    "203.0.0.0/20": inNetwork("203.0.0.0/20"),
    "10.0.0.0/8": inNetwork("10.0.0.0/8"),
    "2001:db8::/32": inNetwork("2001:db8::/32"),
    "192.0.2.0/24": () => false,
    "*": isAddress,
  },
  ms: {
    "5": number((value) => value === 5),
    "0": number((value) => value === 0),
    "-0.25..1": number((value) => value >= -0.25 && value <= 1),
    "..-124.75": number((value) => value <= -124.75),
    "1e299..": number((value) => value >= 1e299),
    "*": number(() => true),
  },
  at: {
    "2026-01-01T23:00:00.25Z": (value) =>
      isTime(value) && Date.parse(value) === Date.UTC(2026, 0, 1, 23, 0, 0, 250),
    "2026-01-03T00:00:00Z..2026-01-04T00:00:00+01:00": time(
      "2026-01-03T00:00:00Z",
      "2026-01-03T23:00:00Z",
    ),
    "..2026-01-02T00:00:00Z": time("1000-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
    "*": isTime,
  },
  tags: {
    a: text((value) => value === "a"),
    "T29*": text((value) => value.startsWith("t29")),
    é: text((value) => value === "é"),
    "17": text((value) => value === "17"),
    [`${"a".repeat(299)}*`]: text((value) => value.startsWith("a".repeat(299))),
    "*": text(() => true),
  },
};
