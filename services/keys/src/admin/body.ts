// Reads the bodies of the admin API strictly, and names what is wrong. Called by api.ts and routes.ts.

import { isScope, SCOPES } from "@annals/contract";
import { invalid } from "@annals/errors";
import { JsonFault, type JsonValue, readJson } from "@annals/event";
import { operatorName } from "../accounts/rules/operator-name.ts";
import type { Plans } from "../accounts/rules/plan.ts";

export const MAX_BODY_BYTES = 16 * 1024;
const JSON_LIMITS = { maxDepth: 4, maxValues: 64 };

/** The members of the object that a request carries; undefined for a request without a body. */
export function readMembers(body: Uint8Array | undefined): Members {
  if (body === undefined) {
    throw invalid({ field: "Content-Type", message: "must be application/json" });
  }
  return new Members(parse(body));
}

function parse(bytes: Uint8Array): ReadonlyMap<string, JsonValue> {
  let value: JsonValue;
  try {
    value = readJson(bytes, JSON_LIMITS);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { message, offset, path } = error;
    throw invalid({ field: path, message: `${message} (byte ${offset} of the body)` });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid({ field: "", message: "The body must be an object." });
  }
  return new Map(Object.entries(value));
}

export class Members {
  readonly #members: ReadonlyMap<string, JsonValue>;

  constructor(members: ReadonlyMap<string, JsonValue> = new Map()) {
    this.#members = members;
  }

  has(name: string): boolean {
    return this.#members.has(name);
  }

  /** Throws `invalid` for a member that is not among `known`. */
  only(...known: readonly string[]): void {
    const unknown = [...this.#members.keys()].find((name) => !known.includes(name));
    if (unknown === undefined) return;
    const message = `is unknown: the body may contain ${known.join(", ")}`;
    throw invalid({ field: unknown.slice(0, 80), message });
  }

  /** A name; `fallback` if it is absent. */
  name(member: string, fallback?: string): string {
    const given = this.#members.get(member) ?? fallback;
    if (given === undefined) throw invalid({ field: member, message: "is required" });
    if (typeof given !== "string") throw invalid({ field: member, message: "must be a string" });
    return operatorName(given, member);
  }

  /** A plan of the file, null for the default; undefined if it is absent. */
  plan(plans: Plans): string | null | undefined {
    const given = this.#members.get("plan");
    if (given === undefined || given === null) return given;
    if (typeof given === "string" && plans.has(given)) return given;
    const message = `must be null for the default, or one of ${plans.names.join(", ")}`;
    throw invalid({ field: "plan", message });
  }

  /** Undefined if it is absent. */
  scopes(): readonly string[] | undefined {
    const given = this.#members.get("scopes");
    if (given === undefined || given === null) return undefined;
    const isList = Array.isArray(given) && given.length > 0;
    if (!isList || !given.every((each) => typeof each === "string" && isScope(each))) {
      const message = `must be a list of one or more of ${SCOPES.join(", ")}`;
      throw invalid({ field: "scopes", message });
    }
    return given;
  }

  /** A text; undefined if it is absent or null. */
  text(member: string): string | undefined {
    const given = this.#members.get(member) ?? undefined;
    if (given === undefined || typeof given === "string") return given;
    throw invalid({ field: member, message: "must be a string" });
  }

  /** A list of texts; undefined if it is absent or null. */
  texts(member: string): readonly string[] | undefined {
    const given = this.#members.get(member) ?? undefined;
    if (given === undefined) return undefined;
    if (Array.isArray(given) && given.every((each) => typeof each === "string")) return given;
    throw invalid({ field: member, message: "must be a list of strings" });
  }
}
