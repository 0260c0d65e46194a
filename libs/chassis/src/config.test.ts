// Guarantee: a configuration with a fault is refused: every fault is reported at once, each says what is
// expected, and none repeats a secret.

import { describe, expect, test } from "vitest";
import {
  address,
  optionalAddress,
  ConfigError,
  flag,
  integer,
  listenAddress,
  matching,
  networks,
  oneOf,
  optionalText,
  parseConfig,
  port,
  type Setting,
  text,
  url,
} from "./config.ts";

const SETTINGS = {
  name: text("NAME", "Who it is."),
  size: integer("SIZE", "How many.", { min: 1, max: 10 }, { fallback: "3" }),
  database: url("DATABASE", "Where the data is.", ["postgres:"], { secret: true }),
  level: oneOf("LEVEL", "How loud.", ["low", "high"], { fallback: "low" }),
  collector: optionalText("COLLECTOR", "Where traces go."),
};

const parse = <T>(setting: Setting<T>, given?: string): T =>
  parseConfig({ it: setting }, { [setting.env]: given }).it;

test("values are typed, and an absent or empty variable takes its default", () => {
  const environment = { NAME: "a", DATABASE: "postgres://h/d", SIZE: "", OTHER: "x" };
  expect(parseConfig(SETTINGS, environment)).toStrictEqual({
    name: "a",
    size: 3,
    database: "postgres://h/d",
    level: "low",
    collector: undefined,
  });
});

test("every fault is reported at once, one per line, with what is expected", () => {
  const environment = { SIZE: "11", DATABASE: "mysql://u:hunter2@h/d", LEVEL: "loud" };
  const read = (): unknown => parseConfig(SETTINGS, environment);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(
    [
      "NAME is required: Who it is.",
      'SIZE must be an integer from 1 to 10 (is "11")',
      "DATABASE must be a URL that begins with postgres://",
      'LEVEL must be one of low, high (is "loud")',
    ].join("\n"),
  );
  // The value of a secret is never printed, valid or not.
  expect(read).not.toThrow("hunter2");
});

describe("an address", () => {
  const ledger = address("ANNALS_LEDGER_ADDRESS", "The ledger.");

  test.each([
    "ledger:9090",
    "127.0.0.1:9090",
    "[::1]:9090",
    "dns:///ledger.audit.svc:9090",
    "dns://10.0.0.10/ledger:9090",
    "ipv4:127.0.0.1:1,127.0.0.1:65535",
  ])("%s is one", (given) => {
    expect(parse(ledger, given)).toBe(given);
  });

  test.each([
    "foo",
    "http://x",
    "http://x:9090",
    "ledger:",
    ":9090",
    "ledger:0",
    "ledger:65536",
    "ledger:9090/",
    "ledger 1:9090",
    "dns:///ledger",
    "ipv4:127.0.0.1:1,127.0.0.1",
  ])("%s is none: the setting and the forms are named", (given) => {
    expect(() => parse(ledger, given)).toThrow(
      `ANNALS_LEDGER_ADDRESS must be \`host:port\` or \`dns:///host:port\` (is ${JSON.stringify(given)})`,
    );
  });

  test("may be absent where it is optional", () => {
    const optional = optionalAddress("A", "About.");
    expect([parse(optional), parse(optional, "a:1")]).toEqual([undefined, "a:1"]);
    expect(() => parse(optional, "a")).toThrow("A must be");
  });
});

describe("an address to listen on", () => {
  const api = listenAddress("API_ADDRESS", "Where.", { fallback: "127.0.0.1:9092" });

  test.each([
    [undefined, "127.0.0.1", 9092],
    ["0.0.0.0:0", "0.0.0.0", 0],
    ["[::1]:65535", "::1", 65_535],
    ["localhost:80", "localhost", 80],
  ])("%s is one", (given, host, port_) => {
    expect(parse(api, given)).toEqual({ host, port: port_ });
  });

  test.each(["9092", ":9092", "a:65536", "dns:///a:1", "::1:9092", "a:b", "http://a:1"])(
    "%s is none",
    (given) => expect(() => parse(api, given)).toThrow("API_ADDRESS must be `host:port`"),
  );
});

describe("an integer", () => {
  const size = integer("N", "About.", { min: 2, max: 1_000 });
  test.each([
    ["2", 2],
    ["1000", 1_000],
    ["0007", 7],
  ])("%s is read", (given, value) => expect(parse(size, given)).toBe(value));
  test.each(["1", "1001", "2.5", "1e2", "0x10", "+5", "-5", " 5", "5 ", "５", "Infinity", "five"])(
    "%j is refused",
    (given) => expect(() => parse(size, given)).toThrow("an integer from 2 to 1000"),
  );
});

test("what is required is said without the links of its page", () => {
  const linked = { it: text("IT", "One of [the things](things.md#all), `a` or [`b`](b.md).") };
  expect(() => parseConfig(linked, {})).toThrow("IT is required: One of the things, `a` or `b`.");
});

test("an ANNALS_ variable that is no setting is refused beside the other faults", () => {
  const environment = {
    ANNALS_LOG_LEVLE: "debug",
    NAME: "a",
    SIZE: "11",
    DATABASE: "postgres://h/d",
  };
  expect(() => parseConfig(SETTINGS, environment)).toThrow(
    "ANNALS_LOG_LEVLE is not a setting: did you mean ANNALS_LOG_LEVEL?\nSIZE must be",
  );
  const own = { it: text("ANNALS_OWN", "Declared by the service.") };
  expect(parseConfig(own, { ANNALS_OWN: "a" })).toStrictEqual({ it: "a" });
});

test("a port is 0 to 65535", () => {
  expect([parse(port("P", "."), "0"), parse(port("P", "."), "65535")]).toStrictEqual([0, 65_535]);
  expect(() => parse(port("P", "."), "65536")).toThrow("P must be");
  // What Kubernetes adds to the environment for a Service of that name.
  expect(() => parse(port("P", "."), "tcp://10.0.0.1:4222")).toThrow("P must be");
});

test("a flag is false by default and takes only true, false, 1 and 0", () => {
  const given = [undefined, "", "true", "1", "false", "0"];
  expect(given.map((word) => parse(flag("F", "."), word))).toStrictEqual([
    false,
    false,
    true,
    true,
    false,
    false,
  ]);
  for (const word of ["yes", "TRUE", "on", "2"])
    expect(() => parse(flag("F", "."), word)).toThrow("F must be true or false");
});

describe("networks", () => {
  const proxies = networks("ANNALS_PROXIES", "Who is trusted.");
  const isIn = (given: string, each: string): boolean =>
    parse(proxies, given).check(each, each.includes(":") ? "ipv6" : "ipv4");

  test.each<[given: string, inside: string[], outside: string[]]>([
    ["", [], ["127.0.0.1", "::1"]],
    ["10.0.0.0/8", ["10.0.0.0", "10.255.255.255"], ["9.255.255.255", "11.0.0.0", "::1"]],
    ["10.1.2.3/8", ["10.9.9.9"], ["11.1.2.3"]],
    ["192.0.2.1", ["192.0.2.1"], ["192.0.2.0", "192.0.2.2"]],
    ["192.0.2.4/31", ["192.0.2.4", "192.0.2.5"], ["192.0.2.3", "192.0.2.6"]],
    ["0.0.0.0/0", ["192.0.2.1"], ["2001:db8::1"]],
    ["2001:db8:a::/48", ["2001:db8:a::1", "2001:DB8:A:FFFF::"], ["2001:db8:b::1", "10.0.0.1"]],
    ["::1", ["::1", "0:0:0:0:0:0:0:1"], ["::2", "127.0.0.1"]],
    ["::ffff:10.0.0.0/104", ["10.1.2.3", "::ffff:10.1.2.3"], ["11.1.2.3"]],
    [" 10.0.0.0/8 , ::1,, 192.0.2.1 ", ["10.0.0.1", "::1", "192.0.2.1"], ["192.0.2.2"]],
  ])("%j", (given, inside, outside) => {
    expect(inside.filter((each) => !isIn(given, each))).toEqual([]);
    expect(outside.filter((each) => isIn(given, each))).toEqual([]);
  });

  test.each([
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "10.0.0.0/255.0.0.0",
    "10.0.0",
    "10.0.0.0.0",
    "010.0.0.1",
    "::/129",
    "2001:db8::/x",
    "[::1]",
    "127.0.0.1:80",
    "localhost",
    "*",
    "10.0.0.0/8;::1",
    "10.0.0.0/8,proxy",
  ])("%j is refused by name, and trusts no proxy", (given) => {
    expect(() => parse(proxies, given)).toThrow(
      `ANNALS_PROXIES must be a comma-separated list of addresses and networks such as 10.0.0.0/8 (is ${JSON.stringify(given)})`,
    );
  });
});

test("a pattern must match the whole value", () => {
  const prefix = matching("X", "About.", /^[a-z]{1,3}$/);
  expect(parse(prefix, "abc")).toBe("abc");
  for (const given of ["abcd", "ABC", "abc\n"])
    expect(() => parse(prefix, given)).toThrow("X must match ^[a-z]{1,3}$");
});

test("a URL has one of the schemes and can be parsed", () => {
  const where = url("U", "About.", ["http:", "https:"]);
  expect(parse(where, "https://h:1/p")).toBe("https://h:1/p");
  for (const given of ["h:1", "//h", "ftp://h", "http://", "https//h"])
    expect(() => parse(where, given)).toThrow("begins with http:// or https://");
});
