// Masks what must not be in an audit log: values of secrets, and tokens, in the objects that a kube-apiserver
// records of requests and responses. Called by map-kubernetes.ts before anything of an event is hashed. It
// may mask too much, and must never leave a value because an object has an unusual shape.

import { type JsonObject, type JsonValue, newObject, setMember } from "@annals/event";

const MASKED: JsonObject = { annals_masked: true };

/** `kubectl apply` keeps the whole object in it. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** What of an object is secret. */
export type Secrecy = "secrets" | "tokens" | undefined;

const KINDS = new Map<unknown, Secrecy>([
  ["Secret", "secrets"],
  ["SecretList", "secrets"],
  ["TokenRequest", "tokens"],
  ["TokenReview", "tokens"],
]);

/** Tells by what a request was for, in lower case. */
export function secrecyOf(resource: string | undefined, subresource: string | undefined): Secrecy {
  if (resource === "secrets") return "secrets";
  if (resource === "tokenreviews") return "tokens";
  return resource === "serviceaccounts" && subresource === "token" ? "tokens" : undefined;
}

/** The object of a request or response without what is secret. Also an object says what it is. */
export function maskObject(value: JsonValue, secrecy: Secrecy): JsonValue {
  const known = secrecy ?? (isObject(value) ? KINDS.get(value["kind"]) : undefined);
  if (known === undefined || value === null) return value;
  // A patch may be a list of operations, each with a value for any path.
  if (Array.isArray(value))
    return value.map((each) => maskMembers(each, [...NAMES[known], "value"]));
  return isObject(value) ? maskMembers(value, NAMES[known]) : MASKED;
}

/** Members whose values are secret, in lower case, at any depth: a list and a table have objects in them. */
const NAMES = {
  secrets: ["data", "stringdata", LAST_APPLIED],
  tokens: ["token"],
} as const;

function maskMembers(value: JsonValue, names: readonly string[]): JsonValue {
  if (Array.isArray(value)) return value.map((each) => maskMembers(each, names));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, JsonValue] => [
    name,
    names.includes(name.toLowerCase()) ? maskValues(member) : maskMembers(member, names),
  ]);
  return objectOf(members);
}

/** The keys of a secret stay: they say which of its values a request was about. */
function maskValues(value: JsonValue): JsonValue {
  if (!isObject(value)) return MASKED;
  return objectOf(Object.keys(value).map((name) => [name, MASKED]));
}

/** An object as the reader makes them: no choice of names takes more memory. */
function objectOf(members: readonly (readonly [string, JsonValue])[]): JsonObject {
  const object = newObject();
  for (const [name, value] of members) setMember(object, name, value);
  return object;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
