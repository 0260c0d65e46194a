// The headers of a sink that speaks HTTP: their schema, and the rules of their names and values. A fault
// never repeats a value: it may be a secret.

import { Type } from "typebox";
import { SENSITIVE } from "./schema.ts";
import { checkUrl, type ConfigRules, fault } from "./sink-type.ts";

export const MAX_HEADERS = 20;
export const MAX_HEADER_NAME_LENGTH = 100;
export const MAX_HEADER_VALUE_LENGTH = 4_096;

/** What the sender says itself, and what is about the connection. */
const FORBIDDEN: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** A token of RFC 9110 that begins with a letter or a digit. */
const NAME = /^[A-Za-z0-9][!#$%&'*+.^_`|~0-9A-Za-z-]*$/;
/** Visible characters of ASCII, and spaces within. */
const VALUE = /^[!-~]([ -~]*[!-~])?$/;

export type SinkHeaders = Readonly<Record<string, string>>;

export const Headers = Type.Unsafe<SinkHeaders>({
  type: "object",
  additionalProperties: true,
  description:
    "Up to 20 headers of each request, with their values, which are secrets. Default: none.",
  examples: [{ authorization: "Bearer 5c0p3d" }],
  [SENSITIVE]: true,
});

function checkHeaders(headers: SinkHeaders): void {
  const given = Object.entries(headers);
  if (given.length > MAX_HEADERS) {
    throw fault("headers", `must have at most ${MAX_HEADERS} members`);
  }
  const seen = new Set<string>();
  for (const [name, value] of given) {
    if (name.length > MAX_HEADER_NAME_LENGTH || !NAME.test(name)) {
      const message = `must have names of headers, of at most ${MAX_HEADER_NAME_LENGTH} characters`;
      throw fault("headers", message);
    }
    const [member, key] = [`headers.${name}`, name.toLowerCase()];
    if (FORBIDDEN.has(key)) throw fault(member, "is a header that the service sets itself");
    if (seen.has(key)) throw fault(member, "must not be there twice: case does not count");
    seen.add(key);
    if (value.length > MAX_HEADER_VALUE_LENGTH) {
      throw fault(member, `must have at most ${MAX_HEADER_VALUE_LENGTH} characters`);
    }
    if (!VALUE.test(value)) {
      throw fault(member, "must have visible characters of ASCII, and spaces only within");
    }
  }
}

/** The rules of a type whose configuration has a URL and headers. */
export function checkUrlAndHeaders<
  Config extends { readonly url: string; readonly headers: Readonly<Record<string, string>> },
>(config: Config, rules: ConfigRules): Config {
  checkUrl(rules, "url", config.url);
  checkHeaders(config.headers);
  return config;
}
