// The headers of the fuzzer: who asks, what the document names, what every server meets, and how the body is
// said to be. Called by requests.ts. It must never say another length than the body has.

import fc from "fast-check";
import type { Header, Known } from "./request.ts";
import { anyText, type Schema } from "./values.ts";

/** Above the most bytes of all headers, and above the most headers. */
const LARGE_HEADER = 17_000;
const MANY_HEADERS = 120;

export const soundContentType = fc.constantFrom(
  "application/json",
  'application/json; charset="utf-8"',
);

export function doubtfulAuthorization({ keys }: Known): fc.Arbitrary<Header[]> {
  const { good, weak, revoked } = keys;
  const values = [
    ...[weak, weak, weak, revoked, `${good}0`, good.slice(0, -1)].map((key) => `Bearer ${key}`),
    good,
    `Basic ${good}`,
    `bearer ${good}`,
    `Bearer  ${good} `,
    "Bearer",
    "Bearer a b",
    "",
    `Bearer ${good},Bearer ${good}`,
    "Bearer \xff\xfe",
    `Bearer annals_sk_${"a".repeat(500)}`,
  ];
  return fc.oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom(...values).map((value): Header[] => [["authorization", value]]),
    },
    { weight: 1, arbitrary: fc.constant<Header[]>([]) },
    {
      weight: 1,
      arbitrary: fc.constant<Header[]>([
        ["Authorization", `Bearer ${weak}`],
        ["authorization", `Bearer ${good}`],
      ]),
    },
  );
}

export function soundHeaders(parameters: Schema[]): fc.Arbitrary<Header[]> {
  const text = fc.string({ minLength: 1, maxLength: 60 }).map((value) => value.trim() || "key");
  const each = parameters.map(({ name }) =>
    fc.option(text, { nil: "" }).map((value) => [name, value]),
  );
  return fc
    .tuple(...each)
    .map((all) => all.filter(([, value]) => value !== "") as unknown as Header[]);
}

export function doubtfulHeaders(parameters: Schema[]): fc.Arbitrary<Header[]> {
  // A line end would end the header: what follows is another request's business.
  const value = fc
    .oneof(anyText, fc.constantFrom("same", "\xe9\xff", "a".repeat(255), "a".repeat(256)))
    // As it is sent: only then does a character above U+00FF show that its low byte ends a line.
    .map((text) => Buffer.from(text, "latin1").toString("latin1"))
    .map((text) => text.replaceAll(/[\r\n\0]/g, "").slice(0, LARGE_HEADER));
  const each = parameters.map(({ name }) =>
    fc.array(value, { maxLength: 2 }).map((values) => values.map((one): Header => [name, one])),
  );
  return fc.tuple(...each).map((all) => all.flat());
}

/** Headers that no operation names and every server meets. */
export const moreHeaders: fc.Arbitrary<Header[]> = fc.constantFrom<Header[]>(
  [["accept", "text/xml"]],
  [["accept-encoding", "gzip, br"]],
  [["content-encoding", "gzip"]],
  [["content-encoding", "identity"]],
  [["expect", "100-continue"]],
  [["expect", "miracles"]],
  [["origin", "https://example.com"]],
  [["x-request-id", "mine"]],
  [["x-forwarded-for", "\xff\xfe, 127.0.0.1"]],
  [["x-http-method-override", "DELETE"]],
  [["range", "bytes=0-0"]],
  [["if-none-match", "*"]],
  [["host", "other.example"]],
  [["connection", "close"]],
  [["upgrade", "h2c"]],
  [["x-large", "a".repeat(LARGE_HEADER)]],
  [["x bad", "name"]],
  [["x-control", "a\x01b"]],
  Array.from({ length: MANY_HEADERS }, (_, n): Header => [`x-${n}`, "1"]),
);

export const doubtfulContentType = fc.constantFrom(
  "",
  "text/plain",
  "application/json; charset=latin1",
  "application/json; charset=utf-16",
  "application/jsonp",
  "application/*",
  "application/json, text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  ";",
  "\xff",
  "a".repeat(300),
);
