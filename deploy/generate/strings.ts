// The page test/tidy/strings.md: every text that the product shows to a person, so that a reader can
// review them without reading code. Called by main.ts. It must never have a line number: code that moves
// changes nothing.

import ts from "typescript";
import { CODE, PRODUCT, type SourceFile } from "./sources.ts";

const INTRODUCTION = `
Everything that the code shows to clients, operators and viewers, by kind and by package. \`…\` is a value
that the code inserts. Settings (docs/operators/settings.md), the chart, messages raised in SQL, and the German
texts of the viewer are not here.
`.trim();

const KINDS = [
  "Errors of the API",
  "Other errors",
  "Log lines",
  "API descriptions",
  "Metrics",
  "Commands",
  "Screens",
  "Other texts",
] as const;
type Kind = (typeof KINDS)[number];

interface Shown {
  readonly kind: Kind;
  /** `gateway`, `rpc`, `viewer` and so on. */
  readonly owner: string;
  readonly text: string;
}

const SCREENS = /^packages\/(viewer|dashboard)\/|^services\/gateway\/src\/reference\//;
const COMMANDS =
  /^(packages\/annals(-verify)?|deploy\/local|libs\/cli)\/|^services\/[^/]+\/src\/commands\/|chassis\/src\/main\.ts$/;
const API = /^services\/gateway\/src\/(render|openapi)\//;
const SETTINGS = /(config|settings)\.ts$/;
const LEFT_OUT = /\/messages\/de\.ts$|\/testing\//;

const API_ERROR = /^(AnnalsError|invalid|notFound|unavailable|forbidden|RequestError)$/;
const ERROR = /Error$|^(internal|fail|refused?)$/;
const LOG = /\blog\??\.(debug|info|warn|error|fatal)$/i;
const METRIC = /^(Counter|Gauge|Histogram)$/;

/** Two words at least. */
const PROSE = /\p{L}[\p{L}'’]*[,:;.)]? [^]*\p{L}{2}/u;
/** One word is a text here. */
const SHORT = { "Log lines": /^[a-z]+$/, Screens: /^[A-Z][a-z]+…?$/ };
/** SQL, styles, scripts and headers. */
const NOT_PROSE = new RegExp(
  [
    String.raw`\b(SELECT|INSERT INTO|UPDATE \w+|DELETE FROM|FROM \w+\.|WHERE|JOIN|CREATE|GRANT|REVOKE|ALTER)\b`,
    String.raw`\b(COALESCE|ORDER BY|VALUES|IS NULL|CASE WHEN|octet_length|pg_\w+\(|sequence_number, \w|_id, \w+_)`,
    String.raw`^\/\* |::\w+|2>\/dev\/null|:root|; charset=|max-age=|trusted-types|'(self|none)'|jit=|role=`,
  ].join("|"),
);

/** The files whose texts are collected. */
const SOURCES = [...PRODUCT, ...CODE.filter(({ path }) => path.startsWith("deploy/local/"))].filter(
  ({ path }) => !LEFT_OUT.test(path) && !path.endsWith(".test.ts"),
);

/** The whole page. */
export function stringsPage(files: readonly SourceFile[] = SOURCES): string {
  const shown = files.flatMap(textsOf);
  const parts = KINDS.flatMap((kind) => {
    const ofKind = shown.filter((each) => each.kind === kind);
    const owners = [...new Set(ofKind.map(({ owner }) => owner))].toSorted();
    return [
      `## ${kind}`,
      ...owners.flatMap((owner) => [
        `### ${owner}`,
        [...new Set(ofKind.filter((each) => each.owner === owner).map(({ text }) => text))]
          .toSorted()
          .map(item)
          .join("\n"),
      ]),
    ];
  });
  return [
    "<!-- Made by `npm run generate` of the code: change the texts there. -->",
    "# Strings",
    INTRODUCTION,
    ...parts,
  ]
    .join("\n\n")
    .concat("\n");
}

/** A text of several lines keeps them. */
function item(text: string): string {
  return text.includes("\n") ? `\n\`\`\`text\n${text.trim()}\n\`\`\`\n` : `- ${text}`;
}

function textsOf({ path, text }: SourceFile): Shown[] {
  const shown: Shown[] = [];
  const owner = path.split("/")[1] ?? "";
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isTaggedTemplateExpression(node)) {
      const texts = node.tag.getText() === "html" ? markupTexts(textOf(node.template)) : [];
      shown.push(...texts.map((each) => ({ kind: "Screens", owner, text: each }) as const));
      node.template.forEachChild(visit);
      return;
    }
    const found = isText(node) && !(isText(node.parent) || isPartOfName(node)) ? textOf(node) : "";
    const kind = found && kindOf(node, path);
    if (kind && isShown(found, kind)) {
      shown.push({ kind, owner, text: nameOf(node, kind) + trimmed(found) });
    }
    node.forEachChild(visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return shown;
}

function isShown(text: string, kind: Kind): boolean {
  if (kind === "Log lines" || kind === "Screens") return SHORT[kind].test(text) || isProse(text);
  return isProse(text);
}

function isProse(text: string): boolean {
  return PROSE.test(text) && !NOT_PROSE.test(text);
}

function trimmed(text: string): string {
  return text.includes("\n\n") || text.startsWith("Usage:")
    ? text
    : text.replaceAll(/\s+/g, " ").trim();
}

/** A literal, a template, or a sum of them. */
function isText(node: ts.Node): node is ts.Expression {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateExpression(node) ||
    (ts.isBinaryExpression(node) &&
      node.operatorToken.kind === ts.SyntaxKind.PlusToken &&
      (isText(node.left) || isText(node.right)))
  );
}

/** Names are left out, and so are routes of statements. */
function isPartOfName({ parent }: ts.Node): boolean {
  if (ts.isPropertyAssignment(parent) && parent.name.getText() === "route") return true;
  return ts.isElementAccessExpression(parent) || ts.isImportDeclaration(parent);
}

function textOf(node: ts.Node): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
  if (ts.isBinaryExpression(node) && isText(node)) return textOf(node.left) + textOf(node.right);
  return "…";
}

/** What a person reads of a template of markup. */
function markupTexts(markup: string): string[] {
  const attributes = [...markup.matchAll(/\b(?:title|aria-label|placeholder)="([^"…]+)"/g)];
  const visible = markup
    .replaceAll(/<\/?(?:code|a|b|em|strong|span|time|kbd|bdi)\b[^>]*>/g, "")
    .split(/<[^>]*>/);
  return [...attributes.map(([, text = ""]) => text), ...visible]
    .map((text) => text.replaceAll(/\s+/g, " ").trim())
    .filter((text) => /\p{L}{2}/u.test(text));
}

/** Tells the kind by the function that gets the text, or else by the file. Settings have their own page. */
function kindOf(node: ts.Node, path: string): Kind | undefined {
  for (let at = node.parent; at && !ts.isFunctionLike(at); at = at.parent) {
    const called = ts.isCallExpression(at) || ts.isNewExpression(at) ? at.expression.getText() : "";
    const name = ts.isPropertyAssignment(at) ? at.name.getText() : "";
    if (LOG.test(called)) return "Log lines";
    if (API_ERROR.test(called) && !SCREENS.test(path)) return "Errors of the API";
    if (METRIC.test(called)) return "Metrics";
    if (ERROR.test(called) || ts.isThrowStatement(at)) return "Other errors";
    if (COMMANDS.test(path) && name === "summary") return "Commands";
    if (name === "description" || name === "summary") return "API descriptions";
    if (name === "about" || (called !== "" && SETTINGS.test(path))) return undefined;
  }
  if (SCREENS.test(path)) return "Screens";
  if (API.test(path)) return "API descriptions";
  return COMMANDS.test(path) ? "Commands" : "Other texts";
}

/** The name of the metric or member that a text describes. */
function nameOf(node: ts.Node, kind: Kind): string {
  const named = ((): ts.Node | undefined => {
    if (kind === "Metrics") return memberOf(node, "name");
    if (kind !== "API descriptions") return undefined;
    const above = ts.findAncestor(node.parent.parent, ts.isPropertyAssignment);
    return above?.name;
  })();
  if (!named || named === node) return "";
  return `\`${ts.isStringLiteralLike(named) ? named.text : named.getText()}\`: `;
}

function memberOf(node: ts.Node, name: string): ts.Node | undefined {
  const object = ts.findAncestor(node, ts.isObjectLiteralExpression);
  const members = object?.properties.filter(ts.isPropertyAssignment) ?? [];
  return members.find((each) => each.name.getText() === name)?.initializer;
}
