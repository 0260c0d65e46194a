// Guarantee: a doc comment, the comment at the head of a file, and one of a .proto file begin with what they
// document or with a verb, not with a preposition. No comment and no text of the product, or of what deploys
// it, says "is none" or "is no X", and neither do the docs, ADRs and measurements included. Docs and code
// name the actor instead of saying nobody, somebody or whoever. In the product and its docs a condition
// begins with "if", and "where" names a place.

import { describe, expect, test } from "vitest";
import { CODE, FILES, PRODUCT, type SourceFile } from "../../deploy/generate/sources.ts";

const OPENING = /(?:\/\*\*[\s*]*|^(?:#!.*\n)?\/\/ )(?:Of|As|With|By|From|Or|Where)\b.*/gi;
/** The same before a field of a message: the first line of a comment. */
const PROTO_OPENING = /^(?![ \t]*\/\/).*\n[ \t]*\/\/ (?:Of|As|With|By|From|Or|Where)\b.*/gim;
const NEGATION = /.{0,40}\b(?:is none|(?<!there )is no(?! (?:longer|more)\b))\b.{0,30}/gi;

/** Excepts a text in code that begins with such a word, such as the user `nobody` of a URL. */
const PEOPLE =
  /.{0,40}\b(?:[Nn]obody|[Ss]omebody|[Aa]nybody|[Ee]verybody|[Ww]hoever)\b(?![:@/"]).{0,30}/g;
/** The word "where" for a condition: after a value or a verb of outcome, before the comma of a sentence. */
const WHERE = new RegExp(
  [
    /\b(?:undefined|null|empty|absent|false|true|none|(?<=[ *])-?[01]),? where\b(?!:| to\b| it (?:is|was|ends)\b)/,
    /\b(?:throws|rejects|resolves|refuses)\b[^.;]{0,90}? where\b(?! (?:it|they) (?:is|are|was|were)[.,:;])/,
    /(?<=^|[.] )where (?!to\b)[^.:?|(\n]{3,90}, /,
    /\b(?:only|also|except) where\b/,
    /\bwhere (?:given|absent|asked for|several|there (?:is|are|was|were)(?! to\b))\b/,
    /\bwhere (?:it|they) (?:(?:is|are|was|were) (?:not|given|absent|known)|has|have|had|does|did|fails|holds|never|needs)\b/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gim",
);
const PAGE =
  /^(?:docs|helm|packages|libs)\/.*\.md$|^(?:README|SECURITY|CONTRIBUTING|CHANGELOG)\.md$/;
/** Code, tests included. A migration never changes, and the tests of words name what they refuse. */
const SOURCE = /^(?!test\/tidy\/)(?!.*\/migrations\/).*\.(?:ts|mjs|js|py|sh|proto|css|tpl|ya?ml)$/;

const DEPLOYED = CODE.filter(({ path }) => /^deploy\/(?!.*\.test\.ts$)/.test(path));

/** Pages of the present: a decision and a measurement keep the words of their day. */
const isPresent = ({ path }: { path: string }): boolean =>
  PAGE.test(path) && !/^docs\/(?:adr|performance)\//.test(path);

/** The text with each comment of several lines on one. */
const joined = (text: string): string => text.replaceAll(/\n\s*(?:\/\/|\*(?!\/)) ?/g, " ");

const faultsOf = (text: string): string[] => [
  ...(text.match(OPENING) ?? []),
  ...(joined(text).match(NEGATION) ?? []),
];

/** Leaves out the clause of SQL. */
const conditionsOf = (text: string): string[] =>
  (text.match(WHERE) ?? []).filter((fault) => !fault.includes("WHERE"));

/** Each with its path. */
const faultsIn = (files: readonly SourceFile[], faultsOfText: (text: string) => string[]) =>
  files.flatMap(({ path, text }) => faultsOfText(text).map((fault) => `${path}: ${fault}`));

const faultsOfProto = (text: string): string[] => [
  ...faultsOf(text),
  ...(text.match(PROTO_OPENING) ?? []),
];

const faultsOfPage = (text: string): string[] => [
  ...(text.match(NEGATION) ?? []),
  ...(text.match(PEOPLE) ?? []),
];

test("comments begin with what they document, and nothing is said to be none", () => {
  expect(faultsIn([...PRODUCT, ...DEPLOYED], faultsOf)).toStrictEqual([]);
  expect(PRODUCT.length).toBeGreaterThan(300);
  expect(DEPLOYED.length).toBeGreaterThan(30);
});

test("comments of the .proto files do, too", () => {
  const protos = FILES.filter(({ path }) => path.endsWith(".proto"));
  expect(faultsIn(protos, faultsOfProto)).toStrictEqual([]);
  expect(protos.length).toBeGreaterThan(5);
});

test("pages say who or what acts, and nothing is said to be none", () => {
  const pages = FILES.filter(({ path }) => PAGE.test(path));
  expect(faultsIn(pages, faultsOfPage)).toStrictEqual([]);
  expect(pages.length).toBeGreaterThan(60);
});

test("a condition begins with if", () => {
  const others = FILES.filter(({ path }) => /^helm\/.*\.(?:ya?ml|tpl)$|\.proto$/.test(path));
  const texts = [...PRODUCT, ...DEPLOYED, ...others].map(({ path, text }) => ({
    path,
    text: joined(text).replaceAll(/\n\s*# ?/g, " "),
  }));
  const pages = FILES.filter(isPresent);
  expect(faultsIn([...texts, ...pages], conditionsOf)).toStrictEqual([]);
  expect(texts.length).toBeGreaterThan(400);
});

test("code says who or what acts", () => {
  const sources = FILES.filter(({ path }) => SOURCE.test(path));
  const faults = sources.flatMap(({ path, text }) =>
    (joined(text).match(PEOPLE) ?? []).map((fault) => `${path}: ${fault}`),
  );
  expect(faults).toStrictEqual([]);
  expect(sources.length).toBeGreaterThan(900);
});

describe("the patterns", () => {
  test.each(["Whoever has it can act as any service.", "An address is no server name."])(
    "refuse %j in a page",
    (text) => {
      expect(faultsOfPage(text)).toHaveLength(1);
    },
  );

  test.each([
    "/** Of the loop. */",
    "/**\n * As after an error.\n */",
    "// Where a list begins.\n\nexport {};",
    "#!/usr/bin/env node\n// By the client.",
    "const a = 1; // undefined where there is none",
    "// a time that is\n// none",
    "/**\n * An empty token is no\n * statement.\n */",
    '"half of a pair is no character"',
  ])("refuse %j", (text) => {
    expect(faultsOf(text)).toHaveLength(1);
  });

  test.each(["message A {\n  // Of the key.\n  string id = 1;", "\n// As before.\nmessage A {"])(
    "refuse %j in a .proto file",
    (text) => {
      expect(faultsOfProto(text)).toHaveLength(1);
    },
  );

  test("accept a line that goes on in a .proto file", () => {
    expect(faultsOfProto("  // The id\n  // of the key.\n")).toStrictEqual([]);
  });

  test.each([
    "Undefined where it has none.",
    "The body; null where no epoch covers it.",
    "Throws BadLine where one of them is invalid.",
    "It ends. Where a part is erased, the page says so.",
    "a span is made only where a request is recorded",
    "two, where there are several",
    "free-form where it is absent",
  ])("refuse the condition %j", (text) => {
    expect(conditionsOf(text)).toHaveLength(1);
  });

  test.each([
    "Returns where the array ends.",
    "A value is left where it is.",
    "Where traces are sent (OTLP over HTTP), such as a URL.",
    "Keep a later hash where they cannot write.",
    "Says when it expires, and where it may be used from.",
    "SET checked_at = NULL WHERE id = $1",
  ])("accept the place %j", (text) => {
    expect(conditionsOf(text)).toStrictEqual([]);
  });

  test("accept the name of a user", () => {
    expect('["nobody", "postgres://nobody@127.0.0.1"]'.match(PEOPLE)).toBeNull();
  });

  test.each([
    "/** Name of the loop. */",
    "/** Offset of the value. */",
    "export {};\n// As the other end does.",
    "// There is no timer.",
    "// The key is no longer valid, and is no more than 3 bytes.",
  ])("accept %j", (text) => {
    expect(faultsOf(text)).toStrictEqual([]);
  });
});
