// The rules for the mapping of a sink: classes of OCSF by action, for events that the classes of the service
// do not fit (docs/sinks.md#formats). Called by create and update.

import { invalid } from "@annals/errors";
import { OCSF_CLASSES, type OcsfClassName } from "@annals/ocsf";

export const MAX_MAPPING_BYTES = 16_384;
export const MAX_MAPPING_ENTRIES = 100;
/** Characters of an action or an activity. */
const MAX_LENGTH = 256;
const MEMBERS = ["activity", "class"];

/**
 * Checks the JSON text of a mapping and returns it with the classes of each action once. Throws `invalid` for
 * a mapping that is too large, and for an entry that names no class of OCSF.
 */
export function checkMapping(text: string): string {
  if (Buffer.byteLength(text) > MAX_MAPPING_BYTES) {
    const message = `must have at most ${MAX_MAPPING_BYTES} bytes as JSON`;
    throw invalid({ field: "mapping", message });
  }
  const entries = entriesOf(text);
  if (entries.length > MAX_MAPPING_ENTRIES) {
    const message = `must have at most ${MAX_MAPPING_ENTRIES} actions`;
    throw invalid({ field: "mapping", message });
  }
  for (const [action, given] of entries) checkEntry(action, given);
  return JSON.stringify(Object.fromEntries(entries));
}

function entriesOf(text: string): [string, unknown][] {
  const value = parsed(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid({ field: "mapping", message: "must be an object" });
  }
  return Object.entries(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid({ field: "mapping", message: "must be JSON" });
  }
}

function checkEntry(action: string, given: unknown): void {
  if (!isText(action)) {
    const message = `must name actions of 1 to ${MAX_LENGTH} characters`;
    throw invalid({ field: "mapping", message });
  }
  const field = `mapping.${action}`;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw invalid({ field, message: "must be an object" });
  }
  const members = new Map(Object.entries(given));
  const unknown = [...members.keys()].find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    throw invalid({ field, message: "may contain class and activity only" });
  }
  if (!members.has("class")) throw invalid({ field: `${field}.class`, message: "is required" });
  const name = members.get("class");
  if (!isClass(name)) {
    const message = `must be one of ${Object.keys(OCSF_CLASSES).join(", ")}`;
    throw invalid({ field: `${field}.class`, message });
  }
  const activity = members.get("activity");
  if (activity !== undefined && !isText(activity)) {
    const message = `must be a string of 1 to ${MAX_LENGTH} characters`;
    throw invalid({ field: `${field}.activity`, message });
  }
}

function isClass(name: unknown): name is OcsfClassName {
  return typeof name === "string" && Object.hasOwn(OCSF_CLASSES, name);
}

function isText(value: unknown): value is string {
  if (typeof value !== "string" || value === "" || value.includes("\0")) return false;
  return Array.from(value).length <= MAX_LENGTH;
}
