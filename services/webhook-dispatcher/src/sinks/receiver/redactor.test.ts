// Guarantee: what a receiver sends back is shown without the secrets of its sink, also where the text was
// cut, and the work for it is bounded by what is read, whatever the client has chosen as secrets and sends
// back: no secret is a pattern. The same over HTTP: types/http/http-receiver.test.ts.

import { describe, expect, test } from "vitest";
import { MAX_CONFIG_BYTES } from "@annals/interface";
import { findSecret, unitsOf } from "./find-secret.ts";
import { formsOf, MAX_READ, Redactor, secretsOfHeaders, secretsOfUrl } from "./redactor.ts";

const MAX_SHOWN = 200;
const shown = (secrets: readonly string[], text: string, maxLength = MAX_SHOWN) =>
  new Redactor(secrets).visible(text, maxLength);

describe("a text is shown without", () => {
  test.each([
    ["a secret", ["s3cret"], "no s3cret here", "no [removed] here"],
    [
      "a secret in another case",
      ["s3cret", "größe"],
      "S3CRET GRÖSSE GRÖßE",
      "[removed] GRÖSSE [removed]",
    ],
    ["a secret in a URL", ["a/b?c"], "at a%2Fb%3fc", "at [removed]"],
    ["a secret in JSON", ['k"y+4711'], String.raw`{"a":"k\"y+4711"}`, '{"a":"[removed]"}'],
    ["secrets that overlap", ["abcdef", "defghi"], "-abcdefghi-", "-[removed]-"],
    ["a secret within another", ["cdef", "abcdefgh"], "abcdefgh cdef", "[removed] [removed]"],
    ["a secret after its own beginning", ["aaaab-key"], "aaaaaaab-key", "aaa[removed]"],
    ["a secret that begins anew", ["ababac"], "abababac", "ab[removed]"],
    ["a secret that repeats", ["abab"], "xabababab.", "x[removed]."],
    ["a secret with a line break", ["pass\u00A0\nword"], "is pass \tword", "is [removed]"],
  ])("%s", (_name, secrets, text, clean) => {
    expect(shown(secrets, text)).toBe(clean);
  });

  test.each([1, 7, 19])("a secret of which only %i characters were read", (begun) => {
    const secret = "key-0123456789abcdef";
    const text = `${"x".repeat(MAX_READ - begun)}${secret}`;
    expect(shown([secret], text, 2 * MAX_READ)).toBe(`${"x".repeat(MAX_READ - begun)}[removed]`);
  });

  test("a secret that is longer than what is read", () => {
    const secret = "0123456789".repeat(MAX_READ / 8);
    expect(shown([secret], `is ${secret}`)).toBe("is [removed]");
  });

  test("a secret that was cut within a character", () => {
    const text = `${"x".repeat(MAX_READ - 5)}key-😀-rest`;
    expect(shown(["key-😀-rest"], text, 2 * MAX_READ)).toBe(`${"x".repeat(MAX_READ - 5)}[removed]`);
  });

  test("the end of what is shown, marked by a character", () => {
    expect(shown(["s3cret"], "y".repeat(300))).toBe(`${"y".repeat(MAX_SHOWN)}…`);
  });
});

test("a text that ends like the beginning of a secret and was not cut is shown whole", () => {
  expect(shown(["key-4711"], "which key")).toBe("which key");
});

const headers = { a: `${"%".repeat(4_000)}b`, c: `${"%".repeat(3_500)}d` };
const queries = Array.from({ length: 330 }, (_, n) => `=[[${n.toString(36).padStart(2, "0")}`);
const url = new URL(`https://a.example/?${queries.join("&")}`);
const passwords = Array.from({ length: 20 }, (_, n) => [
  `h${n}`,
  `Basic ${Buffer.from(`u:${"%".repeat(200)}${n}`).toString("base64")}`,
]);

describe("the work for what is sent back is bounded", () => {
  test.each([
    ["long headers", secretsOfHeaders(headers), "%25"],
    ["many values of a query", secretsOfUrl(url), "["],
    ["both", [...secretsOfUrl(url), ...secretsOfHeaders(Object.fromEntries(passwords))], "[[%25"],
  ])("with %s", (_name, secrets, piece) => {
    const text = unitsOf(piece.repeat(MAX_READ).slice(0, MAX_READ).toUpperCase());
    const borders = new Uint16Array(MAX_READ + 1);
    const forms = formsOf(secrets);
    const compared = forms.map((form) => findSecret(text, form, borders).compared);
    for (const one of compared) expect(one).toBeLessThanOrEqual(4 * MAX_READ);
    // What a configuration may have: more forms, or longer ones, than these there cannot be.
    expect(compared.reduce((sum, one) => sum + one, 0)).toBeLessThan(3_000_000);
    expect(JSON.stringify({ headers, url }).length).toBeLessThan(2 * MAX_CONFIG_BYTES);
  });

  test("a near match costs what any other text costs", () => {
    const borders = new Uint16Array(MAX_READ + 1);
    const [secret = ""] = secretsOfHeaders(headers);
    const of = (text: string) =>
      findSecret(unitsOf(text.repeat(MAX_READ)), unitsOf(secret), borders).compared;
    expect(of("%")).toBeLessThan(3 * of("x"));
  });
});
