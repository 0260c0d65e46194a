// Requests that break one rule of the document each and are sound in every other part: each bound, type, enum
// and required member of each parameter and of the body, the key, the media type. Called by run.ts. Which
// rules there are is read from the document alone; random requests (requests.ts) break several at once.

import fc from "fast-check";
import type { FuzzOperation, FuzzRequest, Header, Known } from "./request.ts";
import { soundRequests } from "./requests.ts";
import { queryOf } from "./targets.ts";
import type { Schema } from "./values.ts";

export interface Violation {
  /** Which part is wrong, and how. */
  readonly what: string;
  readonly request: FuzzRequest;
}

const NO_SUCH = "no-such-value";

export function violationsOf(
  operation: FuzzOperation,
  known: Known,
  seed: number,
): readonly Violation[] {
  const sound = sample(operation, known, seed);
  const parameters: readonly Schema[] = operation.operation.parameters ?? [];
  const { requestBody } = operation.operation;
  const schema = requestBody?.content["application/json"].schema;
  const isRequired = requestBody?.required === true;
  return [
    ...wrongKeys(sound, known),
    ...parameters.flatMap((parameter) => wrongParameters(sound, parameter)),
    ...wrongNames(sound),
    ...(schema === undefined ? [] : wrongBodies(sound, { schema, isRequired })),
  ];
}

/** One that names a thing that is there. */
function sample(operation: FuzzOperation, known: Known, seed: number): FuzzRequest {
  const [request] = fc.sample(soundRequests(operation, known), { seed, numRuns: 1 });
  if (request === undefined) throw new Error("no request was made");
  return request;
}

const withHeader = (request: FuzzRequest, name: string, value: string | undefined): FuzzRequest => {
  const others = request.headers.filter(([one]) => one !== name);
  const headers: Header[] = value === undefined ? others : [...others, [name, value]];
  return { ...request, headers };
};

function withQuery(request: FuzzRequest, name: string, ...values: string[]): FuzzRequest {
  const { raw, pairs } = queryOf(values.map((value) => [name, value]));
  return { ...request, target: request.target.replace(/\?.*/, "") + raw, query: pairs };
}

function wrongKeys(sound: FuzzRequest, { keys }: Known): Violation[] {
  const values = {
    "no key": undefined,
    "another scheme": `Basic ${keys.good}`,
    "a revoked key": `Bearer ${keys.revoked}`,
    "a key without the scope": `Bearer ${keys.weak}`,
    "a key with a character more": `Bearer ${keys.good}0`,
  };
  return Object.entries(values).map(([what, value]) => ({
    what,
    request: { ...withHeader(sound, "authorization", value), hasKey: false },
  }));
}

function wrongParameters(sound: FuzzRequest, { in: where, name, schema }: Schema): Violation[] {
  if (where === "path") return [];
  const [one, several] = schema.anyOf ?? [schema];
  const wrong = wrongTexts(one).map(([how, value]) => ({
    what: `the ${where} parameter ${name}: ${how}`,
    request: where === "query" ? withQuery(sound, name, value) : withHeader(sound, name, value),
  }));
  if (several === undefined) return wrong;
  const wrongLast = wrongTexts(several.items).map(([how, value]) => ({
    what: `the last of two parameters ${name}: ${how}`,
    request: withQuery(sound, name, "x", value),
  }));
  const tooMany = Array.from({ length: several.maxItems + 1 }, () => "x");
  const beyond = {
    what: `the parameter ${name}: too many`,
    request: withQuery(sound, name, ...tooMany),
  };
  return [...wrong, ...wrongLast, beyond];
}

const wrongNames = (sound: FuzzRequest): Violation[] => [
  { what: "a parameter that is not there", request: withQuery(sound, NO_SUCH, "1") },
];

type Wrong<Value> = readonly [how: string, value: Value];

function wrongTexts(schema: Schema): Wrong<string>[] {
  const { enum: values, maxLength, maximum, minLength, minimum, pattern, type } = schema;
  const wrong: Wrong<string>[] = [];
  if (values !== undefined) wrong.push(["none of the enum", NO_SUCH]);
  if (maxLength !== undefined) wrong.push(["too long", "a".repeat(maxLength + 1)]);
  if (minLength > 0) wrong.push(["too short", ""]);
  if (pattern !== undefined) wrong.push(["not of its pattern", "!"]);
  if (type === "integer") wrong.push(["no integer", "1.5"], ["no number", "one"]);
  if (minimum !== undefined) wrong.push(["too small", String(minimum - 1)]);
  if (maximum !== undefined) wrong.push(["too large", String(BigInt(maximum) + 1n)]);
  return wrong;
}

function wrongBodies(
  sound: FuzzRequest,
  { schema, isRequired }: { readonly schema: Schema; readonly isRequired: boolean },
): Violation[] {
  const body = example(schema);
  const wrong: Violation[] = [
    ...(isRequired ? [{ what: "no body", request: { ...sound, body: undefined } }] : []),
    { what: "another media type", request: withHeader(sound, "content-type", "text/plain") },
  ];
  for (const [how, value] of wrongValues(schema, body))
    wrong.push({
      what: `the body: ${how}`,
      request: { ...sound, body: Buffer.from(JSON.stringify(value)) },
    });
  return wrong;
}

/** A value that fits, with every member. */
function example(schema: Schema): unknown {
  if (schema.anyOf) return example(schema.anyOf[0]);
  if (schema.enum) return schema.enum[0];
  if (schema.type === "object") {
    const members = Object.entries<Schema>(schema.properties ?? {});
    return Object.fromEntries(members.map(([name, each]) => [name, example(each)]));
  }
  if (schema.type === "array") return [example(schema.items)];
  if (schema.type === "boolean") return true;
  return schema.type === "integer" ? (schema.minimum ?? 1) : (schema.examples?.[0] ?? "x");
}

/** Values of which one part does not fit; `value` is one that fits. */
function wrongValues(schema: Schema, value: unknown): Wrong<unknown>[] {
  // What one alternative requires, another may not.
  if (schema.anyOf) {
    const [first, several] = schema.anyOf;
    const wrong = wrongValues({ ...first, required: [] }, value);
    if (several?.type === "array") wrong.push(...wrongItems(several, [value]));
    const isNullable = schema.anyOf.some(({ type }: Schema) => type === "null");
    return isNullable ? wrong.filter(([how]) => how !== "null") : wrong;
  }
  const types = { object: [], array: {}, string: 7, integer: "1", boolean: "true" };
  const other = types[schema.type as keyof typeof types] ?? 7;
  const wrong: Wrong<unknown>[] = [["another type", other], ["null", null], ...wrongTexts(schema)];
  if (schema.type === "array") wrong.push(...wrongItems(schema, value as readonly unknown[]));
  if (schema.type === "object" && schema.properties !== undefined)
    wrong.push(...wrongMembers(schema, value as Readonly<Record<string, unknown>>));
  return wrong;
}

function wrongItems({ items, maxItems, minItems }: Schema, [item]: readonly unknown[]) {
  const wrong: Wrong<unknown>[] = wrongValues(items, item).map(([how, one]) => [
    `an item: ${how}`,
    [one],
  ]);
  if (minItems > 0) wrong.push(["too few items", []]);
  if (maxItems !== undefined)
    wrong.push(["too many items", Array.from({ length: maxItems + 1 }, () => item)]);
  return wrong;
}

function wrongMembers(schema: Schema, value: Readonly<Record<string, unknown>>) {
  const wrong: Wrong<unknown>[] = [];
  // Bodies of other systems may have members that no version of the document knows.
  if (schema.additionalProperties === false)
    wrong.push(["an extra member", { ...value, [NO_SUCH]: 1 }]);
  for (const [name, member] of Object.entries<Schema>(schema.properties)) {
    if (schema.required?.includes(name)) {
      const { [name]: _left, ...others } = value;
      wrong.push([`without ${name}`, others]);
    }
    for (const [how, one] of wrongValues(member, value[name]))
      wrong.push([`${name}: ${how}`, { ...value, [name]: one }]);
  }
  return wrong;
}
