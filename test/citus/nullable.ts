// Which parameters of each statement may be null, by the types of its declaration. Called by parameters.ts
// and statements.test.ts. It reads the sources of the stores with the compiler, and runs none of them.

import { join } from "node:path";
import ts from "typescript";
import { PRODUCT, ROOT } from "../../deploy/generate/sources.ts";

export interface Nullable {
  /** Numbers of the parameters that may be null, from 1. */
  readonly parameters: ReadonlySet<number>;
  /** Numbers of those that are arrays in which an element may be null. */
  readonly elements: ReadonlySet<number>;
}

/** Of libs/postgres. */
const SHARED = [
  "audit-outbox",
  "audit-windows",
  "daily-use",
  "idempotent-requests",
  "outbox-statements",
].join("|");
const FILES = new RegExp(
  `^services/[^/]+/src/(?:[\\w-]+/)?store/|^libs/postgres/src/(${SHARED})\\.ts$`,
);
const NOTHING: Nullable = { parameters: new Set(), elements: new Set() };

/** By the name of a statement; throws for a name that no file has. */
export function findNullable(): (name: string) => Nullable {
  const program = ts.createProgram({
    rootNames: PRODUCT.filter(({ path }) => FILES.test(path)).map(({ path }) => join(ROOT, path)),
    options: {
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      customConditions: ["source"],
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: ["node"],
      typeRoots: [join(ROOT, "node_modules/@types")],
    },
  });
  const checker = program.getTypeChecker();
  const found = new Map<string, Nullable>();
  for (const source of program.getSourceFiles()) {
    const path = source.fileName.slice(ROOT.length + 1);
    if (!FILES.test(path)) continue;
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node)) {
        const name = nameOf(node);
        const params = name === undefined ? undefined : paramsOf(checker, node);
        if (name !== undefined && params) found.set(name, nullableOf(checker, params));
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return (name) => {
    const [schema, verb] = name.split(".");
    const nullable = found.get(name) ?? found.get(`.${verb}`);
    if (!nullable) throw new Error(`no declaration of ${verb} of ${schema} was found`);
    return nullable;
  };
}

/** The name that a call declares a statement by; without a schema if it is for several. */
function nameOf({ arguments: [text], expression }: ts.CallExpression): string | undefined {
  if (!text || !ts.isIdentifier(expression)) return undefined;
  // In one store, functions make statements of a name.
  if (ts.isStringLiteral(text) && expression.text.startsWith("reading"))
    return `ledger.${text.text}`;
  const [first = ""] = /\/\*[^*]*\*\//.exec(text.getText()) ?? [];
  return /\/\* (?:(\w+)|\$\{schema\})(\.[a-z-]+) \*\//.exec(first)?.slice(1).join("");
}

/** The types of the parameters of the statement that a call makes. */
function paramsOf(checker: ts.TypeChecker, call: ts.CallExpression): ts.Type[] | undefined {
  const type = checker.getTypeAtLocation(call);
  if (type.symbol?.name !== "Statement") return undefined;
  const [params] = checker.getTypeArguments(type as ts.TypeReference);
  return params && checker.isTupleType(params)
    ? [...checker.getTypeArguments(params as ts.TypeReference)]
    : undefined;
}

const isNullable = (type: ts.Type | undefined): boolean =>
  type?.isUnion() === true && type.types.some(({ flags }) => (flags & ts.TypeFlags.Null) !== 0);

function nullableOf(checker: ts.TypeChecker, params: readonly ts.Type[]): Nullable {
  const numbers = params.map((type, index) => ({ type, number: index + 1 }));
  const elementOf = (type: ts.Type) =>
    checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined;
  if (numbers.length === 0) return NOTHING;
  return {
    parameters: new Set(numbers.filter(({ type }) => isNullable(type)).map(({ number }) => number)),
    elements: new Set(
      numbers.filter(({ type }) => isNullable(elementOf(type))).map(({ number }) => number),
    ),
  };
}
