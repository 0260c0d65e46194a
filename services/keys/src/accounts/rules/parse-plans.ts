// Parses the text of a file of plans and reports every fault at once. An unknown member is a fault (a
// misspelt limit must not be no limit), and so is a name that appears twice. It is pure; plans-file.ts reads
// the file.

import { JsonFault, type JsonValue, readJson } from "@annals/event";
import {
  type Feature,
  FEATURES,
  MAX_RETENTION_DAYS,
  MAX_SEARCH_FIELDS,
  MIN_RETENTION_DAYS,
} from "@annals/contract";
import { DEFAULT_LIMITS, MAX_COUNT, type Plan, Plans } from "./plan.ts";

/** All faults of a file of plans, one per line. */
export class PlansFault extends Error {
  override readonly name = "PlansFault";
}

const LIMITS = { maxDepth: 8, maxValues: 100_000 };
const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

const MEMBERS = [
  "archive",
  "archive_days",
  "events_exported_per_day",
  "events_replayed_per_day",
  "features_left_out",
  "intake_requests_per_minute",
  "max_export_bytes",
  "max_keys",
  "max_search_fields",
  "max_sinks",
  "max_webhooks",
  "max_widget_tokens",
  "min_retention_days",
  "monthly_events",
  "requests_per_minute",
  "retention_days",
];

type Members = ReadonlyMap<string, JsonValue>;
type Report = (where: string, what: string) => void;

/** Throws {@link PlansFault}. */
export function parsePlans(bytes: Uint8Array): Plans {
  const faults: string[] = [];
  const report: Report = (where, what) => faults.push(where === "" ? what : `${where}: ${what}`);
  const plans = parseFile(read(bytes), report);
  if (!plans || faults.length > 0) throw new PlansFault(faults.join("\n"));
  return plans;
}

function read(bytes: Uint8Array): JsonValue {
  try {
    return readJson(bytes, LIMITS);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const where = error.path === "" ? "" : `${error.path}: `;
    throw new PlansFault(`${where}${error.message} (byte ${error.offset})`);
  }
}

function parseFile(value: JsonValue, report: Report): Plans | undefined {
  const file = membersOf(value, "", ["plans", "default"], report);
  const named = membersOf(file.get("plans"), "plans", undefined, report);
  if (named.size === 0) report("plans", "must contain at least one plan");
  const plans = Array.from(named, ([name, plan]) => parsePlan(name, plan, report));
  const fallback = plans.find(({ name }) => name === file.get("default"));
  if (!fallback) report("default", "must be the name of one of the plans");
  return fallback && new Plans(plans, fallback);
}

function parsePlan(name: string, value: JsonValue, report: Report): Plan {
  const where = `plans.${name}`;
  if (!NAME.test(name)) {
    report(where, "a name has 1 to 63 of a to z, 0 to 9, _ and -, a letter or a digit first");
  }
  const members = membersOf(value, where, MEMBERS, report);
  const limit = (member: string, min: number, max: number): number | undefined => {
    const given = members.get(member);
    if (given === undefined) return undefined;
    if (typeof given === "number" && Number.isInteger(given) && given >= min && given <= max) {
      return given;
    }
    report(`${where}.${member}`, `must be an integer from ${min} to ${max}`);
    return undefined;
  };
  // An account without a key could not be used at all.
  const maxKeys = limit("max_keys", 1, MAX_COUNT);
  const maxExportBytes = limit("max_export_bytes", 0, Number.MAX_SAFE_INTEGER);
  const maxSearchFields = limit("max_search_fields", 0, MAX_SEARCH_FIELDS);
  const maxSinks = limit("max_sinks", 0, MAX_COUNT);
  const maxWebhooks = limit("max_webhooks", 0, MAX_COUNT);
  const maxWidgetTokens = limit("max_widget_tokens", 0, MAX_COUNT);
  const eventsExportedPerDay = limit("events_exported_per_day", 0, Number.MAX_SAFE_INTEGER);
  const eventsReplayedPerDay = limit("events_replayed_per_day", 0, Number.MAX_SAFE_INTEGER);
  const monthlyEvents = limit("monthly_events", 0, Number.MAX_SAFE_INTEGER);
  // An account without a request could not be used at all.
  const requestsPerMinute = limit("requests_per_minute", 1, MAX_COUNT);
  const intakeRequestsPerMinute = limit("intake_requests_per_minute", 1, MAX_COUNT);
  return {
    name,
    featuresLeftOut: parseFeatures(
      members.get("features_left_out"),
      `${where}.features_left_out`,
      report,
    ),
    eventsExportedPerDay: eventsExportedPerDay ?? DEFAULT_LIMITS.eventsExportedPerDay,
    eventsReplayedPerDay: eventsReplayedPerDay ?? DEFAULT_LIMITS.eventsReplayedPerDay,
    maxKeys: maxKeys ?? DEFAULT_LIMITS.maxKeys,
    maxSearchFields: maxSearchFields ?? DEFAULT_LIMITS.maxSearchFields,
    maxSinks: maxSinks ?? DEFAULT_LIMITS.maxSinks,
    maxWebhooks: maxWebhooks ?? DEFAULT_LIMITS.maxWebhooks,
    maxWidgetTokens: maxWidgetTokens ?? DEFAULT_LIMITS.maxWidgetTokens,
    ...(maxExportBytes !== undefined && { maxExportBytes }),
    ...(monthlyEvents !== undefined && { monthlyEvents }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(intakeRequestsPerMinute !== undefined && { intakeRequestsPerMinute }),
    ...parseRetention(limit, (what) => report(`${where}.retention_days`, what)),
    ...parseArchives(members.get("archive"), limit("archive_days", 1, MAX_RETENTION_DAYS), (what) =>
      report(`${where}.archive`, what),
    ),
  };
}

function parseArchives(
  archive: JsonValue | undefined,
  archiveDays: number | undefined,
  report: (what: string) => void,
): Pick<Plan, "archive" | "archiveDays"> {
  if (archive !== undefined && typeof archive !== "boolean") report("must be true or false");
  return {
    archive: archive === true,
    ...(archiveDays !== undefined && { archiveDays }),
  };
}

function parseRetention(
  limit: (member: string, min: number, max: number) => number | undefined,
  report: (what: string) => void,
): Pick<Plan, "minRetentionDays" | "retentionDays"> {
  const [least, most] = [MIN_RETENTION_DAYS, MAX_RETENTION_DAYS];
  const retentionDays = limit("retention_days", least, most);
  const minRetentionDays =
    limit("min_retention_days", least, most) ?? DEFAULT_LIMITS.minRetentionDays;
  if (retentionDays !== undefined && retentionDays < minRetentionDays)
    report(`must be at least min_retention_days, which is ${minRetentionDays}`);
  return { minRetentionDays, ...(retentionDays !== undefined && { retentionDays }) };
}

function parseFeatures(value: JsonValue | undefined, where: string, report: Report): Feature[] {
  if (value === undefined) return [];
  const given = Array.isArray(value) ? value : undefined;
  const features = given?.map((each) => FEATURES.find((feature) => feature === each));
  if (!features || features.includes(undefined) || new Set(features).size < features.length) {
    report(where, `must be a list of ${FEATURES.join(", ")}, each at most once`);
    return [];
  }
  return features.filter((feature) => feature !== undefined);
}

/** The members of an object; reports a value that is not an object, and members besides `known`. */
function membersOf(
  value: JsonValue | undefined,
  where: string,
  known: readonly string[] | undefined,
  report: Report,
): Members {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    report(where, "must be an object");
    return new Map();
  }
  const members = new Map(Object.entries(value));
  for (const name of members.keys()) {
    if (known?.includes(name) === false) {
      report(where, `${JSON.stringify(name)} is unknown: it may contain ${known.join(", ")}`);
    }
  }
  return members;
}
