// Guarantee: a doc comment, the comment at the head of a file, and one of a .proto file begin with what they
// document or with a verb, not with a preposition. No comment and no text of the product, or of what deploys
// it, says "is none" or "is no X". Nor does a page of the docs, decisions and measurements included. Pages
// and code name who acts: they never say nobody, somebody or whoever.

import { describe, expect, test } from "vitest";
import { CODE, FILES, PRODUCT } from "../../deploy/generate/sources.ts";

const OPENING = /(?:\/\*\*[\s*]*|^(?:#!.*\n)?\/\/ )(?:Of|As|With|By|From|Or|Where)\b.*/gi;
/** The same before a field of a message: the first line of a comment. */
const PROTO_OPENING = /^(?![ \t]*\/\/).*\n[ \t]*\/\/ (?:Of|As|With|By|From|Or|Where)\b.*/gim;
const NEGATION = /.{0,40}\b(?:is none|(?<!there )is no(?! (?:longer|more)\b))\b.{0,30}/gi;

/** Excepts a text in code that begins with such a word, such as the user `nobody` of a URL. */
const PEOPLE =
  /.{0,40}\b(?:[Nn]obody|[Ss]omebody|[Aa]nybody|[Ee]verybody|[Ww]hoever)\b(?![:@/"]).{0,30}/g;
const PAGE =
  /^(?:docs|helm|packages|libs)\/.*\.md$|^(?:README|SECURITY|CONTRIBUTING|CHANGELOG)\.md$/;
/** Code, tests included. A migration never changes, and the tests of words name what they refuse. */
const SOURCE = /^(?!test\/tidy\/)(?!.*\/migrations\/).*\.(?:ts|mjs|js|py|sh|proto|css|tpl|ya?ml)$/;

/** The text with each comment of several lines on one. */
const joined = (text: string): string => text.replaceAll(/\n\s*(?:\/\/|\*(?!\/)) ?/g, " ");

const faultsOf = (text: string): string[] => [
  ...(text.match(OPENING) ?? []),
  ...(joined(text).match(NEGATION) ?? []),
];

const faultsOfProto = (text: string): string[] => [
  ...faultsOf(text),
  ...(text.match(PROTO_OPENING) ?? []),
];

const faultsOfPage = (text: string): string[] => [
  ...(text.match(NEGATION) ?? []),
  ...(text.match(PEOPLE) ?? []),
];

test("comments begin with what they document, and nothing is said to be none", () => {
  const deployed = CODE.filter(({ path }) => /^deploy\/(?!.*\.test\.ts$)/.test(path));
  const faults = [...PRODUCT, ...deployed].flatMap(({ path, text }) =>
    faultsOf(text).map((fault) => `${path}: ${fault}`),
  );
  expect(faults).toStrictEqual([]);
  expect(PRODUCT.length).toBeGreaterThan(300);
  expect(deployed.length).toBeGreaterThan(30);
});

test("comments of the .proto files do, too", () => {
  const protos = FILES.filter(({ path }) => path.endsWith(".proto"));
  const faults = protos.flatMap(({ path, text }) =>
    faultsOfProto(text).map((fault) => `${path}: ${fault}`),
  );
  expect(faults).toStrictEqual([]);
  expect(protos.length).toBeGreaterThan(5);
});

test("pages say who or what acts, and nothing is said to be none", () => {
  const pages = FILES.filter(({ path }) => PAGE.test(path));
  const faults = pages.flatMap(({ path, text }) =>
    faultsOfPage(text).map((fault) => `${path}: ${fault}`),
  );
  expect(faults).toStrictEqual([]);
  expect(pages.length).toBeGreaterThan(60);
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
