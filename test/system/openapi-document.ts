// The OpenAPI document as the tests of it read it: the operations one by one, references followed,
// schemas found.

// oxlint-disable-next-line typescript/no-explicit-any -- a document is looked into freely
export type Json = any;

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operation: Json;
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

export function operationsOf(document: Json): Operation[] {
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({ method, path, operation })),
  );
}

/** Follows `#/a/b`; throws where it leads nowhere. Anything without `$ref` is returned as it is. */
export function resolve(document: Json, node: Json): Json {
  if (typeof node?.$ref !== "string") return node;
  const steps = node.$ref.replace(/^#\//, "").split("/");
  const found = steps.reduce((at: Json, step: string) => at?.[step], document);
  if (found === undefined) throw new Error(`${node.$ref} leads nowhere`);
  return resolve(document, found);
}

/** The document with each reference replaced by what it leads to. */
export function dereferenced(document: Json, node: Json = document): Json {
  if (Array.isArray(node)) return node.map((one) => dereferenced(document, one));
  if (node === null || typeof node !== "object") return node;
  if (typeof node.$ref === "string") return dereferenced(document, resolve(document, node));
  return Object.fromEntries(
    Object.entries(node).map(([name, one]) => [name, dereferenced(document, one)]),
  );
}

/** Every object in `node` with the path that leads to it. */
export function* everyObject(node: Json, path = "#"): Generator<readonly [string, Json]> {
  if (node === null || typeof node !== "object") return;
  if (!Array.isArray(node)) yield [path, node];
  for (const [name, value] of Object.entries(node)) yield* everyObject(value, `${path}/${name}`);
}

/** Where a schema stands: a parameter, a header, a body, a component. */
export function* everySchema(document: Json): Generator<readonly [string, Json]> {
  for (const [path, node] of everyObject(document)) {
    if (path.endsWith("/schema")) yield [path, node];
  }
  yield* Object.entries(document.components.schemas);
}

/** The path of a row of v1.ts as the document writes it. */
export const templateOf = (path: string): string =>
  `/v1${path.replaceAll(/:(\w+)/g, "{$1}").replace("*", "{index}")}`;
