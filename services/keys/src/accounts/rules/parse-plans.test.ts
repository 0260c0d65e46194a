// A file of plans means what it says or is refused with every fault named: a limit that is misspelt,
// written twice or of the wrong kind is never no limit.

import { describe, expect, test } from "vitest";
import { parsePlans, PlansFault } from "./parse-plans.ts";
import { accountRate, shareOfTokens, UNLIMITED_PLANS } from "./plan.ts";

const DEFAULTS = {
  eventsExportedPerDay: 100_000_000,
  eventsReplayedPerDay: 100_000_000,
  maxKeys: 1_000,
  maxWebhooks: 1_000,
  maxSinks: 10,
  maxSearchFields: 8,
  maxWidgetTokens: 10_000,
  minRetentionDays: 30,
  archive: false,
};

const parse = (file: unknown) =>
  parsePlans(Buffer.from(typeof file === "string" ? file : JSON.stringify(file)));

function faultsOf(file: unknown): string[] {
  try {
    parse(file);
  } catch (error) {
    if (error instanceof PlansFault) return error.message.split("\n");
    throw error;
  }
  return [];
}

test("a file gives each plan its limits and the default to an account that has none", () => {
  const plans = parse({
    plans: {
      free: {
        archive: true,
        archive_days: 2_557,
        events_exported_per_day: 0,
        events_replayed_per_day: 5_000,
        features_left_out: ["exports", "webhooks"],
        intake_requests_per_minute: 800,
        max_export_bytes: 0,
        max_keys: 2,
        max_search_fields: 16,
        max_sinks: 3,
        max_webhooks: 0,
        max_widget_tokens: 7,
        min_retention_days: 2,
        monthly_events: 10_000,
        requests_per_minute: 900,
        retention_days: 36_500,
      },
      "team-2": {},
    },
    default: "free",
  });
  const free = {
    name: "free",
    featuresLeftOut: ["exports", "webhooks"],
    eventsExportedPerDay: 0,
    eventsReplayedPerDay: 5_000,
    intakeRequestsPerMinute: 800,
    maxExportBytes: 0,
    maxKeys: 2,
    maxWebhooks: 0,
    maxSearchFields: 16,
    maxSinks: 3,
    maxWidgetTokens: 7,
    minRetentionDays: 2,
    archive: true,
    archiveDays: 2_557,
    monthlyEvents: 10_000,
    requestsPerMinute: 900,
    retentionDays: 36_500,
  };
  expect(plans.names).toEqual(["free", "team-2"]);
  expect(plans.of("free")).toEqual(free);
  expect(plans.of("team-2")).toEqual({ name: "team-2", featuresLeftOut: [], ...DEFAULTS });
  expect(plans.of(null)).toEqual(free);
  expect(plans.of("of a newer file")).toEqual(free);
  expect(plans.has("free")).toBe(true);
  expect(plans.has("of a newer file")).toBe(false);
});

test("without a file the limits are those of a plan that names none", () => {
  const unlimited = { name: "unlimited", featuresLeftOut: [], ...DEFAULTS };
  expect(UNLIMITED_PLANS.of(null)).toEqual(unlimited);
});

test("an account's rate is its plan's, the default plan's for any other name, else 60 times a key's", () => {
  const plans = parse({
    plans: { free: { requests_per_minute: 50 }, pro: { requests_per_minute: 7_000 }, all: {} },
    default: "free",
  });
  expect(plans.accountLimits(accountRate(100))).toEqual({
    named: [
      ["pro", 7_000],
      ["all", 6_000],
    ],
    fallback: 50,
  });
  expect(UNLIMITED_PLANS.accountLimits(6_000)).toEqual({ named: [], fallback: 6_000 });
  expect(plans.accountIntakeLimits(72_000)).toEqual({ named: [], fallback: 72_000 });
  const ofIntake = { plans: { free: { intake_requests_per_minute: 1 }, all: {} }, default: "all" };
  expect(parse(ofIntake).accountIntakeLimits(72_000)).toEqual({
    named: [["free", 1]],
    fallback: 72_000,
  });
  expect(accountRate(1_000_000_000)).toBe(2 ** 31 - 1);
  expect([0, 1, 4, 10_000].map(shareOfTokens)).toEqual([0, 1, 1, 2_500]);
});

describe("faults", () => {
  test("all are reported at once, each with its path", () => {
    const faults = faultsOf({
      plans: {
        "Free Plan": {},
        free: {
          features_left_out: ["webhooks", "webhook"],
          max_export_bytes: -1,
          max_keys: 0,
          max_webhook: 3,
          max_webhooks: 1.5,
          max_widget_tokens: -1,
          monthly_events: "10",
          requests_per_minute: 0,
          intake_requests_per_minute: 1.5,
        },
        other: [],
      },
      fallback: "free",
    });
    expect(faults).toEqual([
      '"fallback" is unknown: it may contain plans, default',
      "plans.Free Plan: a name has 1 to 63 of a to z, 0 to 9, _ and -, a letter or a digit first",
      'plans.free: "max_webhook" is unknown: ' +
        "it may contain archive, archive_days, events_exported_per_day, events_replayed_per_day, " +
        "features_left_out, intake_requests_per_minute, max_export_bytes, " +
        "max_keys, max_search_fields, max_sinks, max_webhooks, " +
        "max_widget_tokens, min_retention_days, monthly_events, requests_per_minute, retention_days",
      "plans.free.max_keys: must be an integer from 1 to 2147483647",
      "plans.free.max_export_bytes: must be an integer from 0 to 9007199254740991",
      "plans.free.max_webhooks: must be an integer from 0 to 2147483647",
      "plans.free.max_widget_tokens: must be an integer from 0 to 2147483647",
      "plans.free.monthly_events: must be an integer from 0 to 9007199254740991",
      "plans.free.requests_per_minute: must be an integer from 1 to 2147483647",
      "plans.free.intake_requests_per_minute: must be an integer from 1 to 2147483647",
      "plans.free.features_left_out: must be a list of webhooks, exports, verify, lifecycle, each at most once",
      "plans.other: must be an object",
      "default: must be the name of one of the plans",
    ]);
  });

  test.for<[unknown, string]>([
    [{ plans: {}, default: "free" }, "plans: must contain at least one plan"],
    [{ plans: { free: {} }, default: "Free" }, "default: must be the name of one of the plans"],
    [{ plans: { free: {} } }, "default: must be the name of one of the plans"],
    [{ default: "free" }, "plans: must be an object"],
    [[], "must be an object"],
    [
      { plans: { free: { features_left_out: ["verify", "verify"] } }, default: "free" },
      "plans.free.features_left_out: must be a list of webhooks, exports, verify, lifecycle, each at most once",
    ],
    [
      { plans: { free: { features_left_out: "verify" } }, default: "free" },
      "plans.free.features_left_out: must be a list of webhooks, exports, verify, lifecycle, each at most once",
    ],
    [
      { plans: { free: { max_keys: null } }, default: "free" },
      "plans.free.max_keys: must be an integer from 1 to 2147483647",
    ],
  ])("%j", ([file, fault]) => {
    expect(faultsOf(file)).toContain(fault);
  });

  test("a name that appears twice, and text that is not JSON", () => {
    expect(faultsOf('{"plans":{"a":{"max_keys":1,"max_keys":9}},"default":"a"}').join()).toMatch(
      /max_keys.*byte 28/,
    );
    expect(faultsOf("plans: free").join()).toMatch(/byte 0/);
  });
});

test.each([
  [{ archive: 1 }, "archive: must be true or false"],
  [{ archive_days: 0 }, "archive_days: must be an integer from 1 to 36500"],
])("archives: %j is refused", (plan, message) => {
  expect(faultsOf({ plans: { a: plan }, default: "a" })).toEqual([`plans.a.${message}`]);
});

test.each([
  [{ retention_days: 29 }, "must be at least min_retention_days, which is 30"],
  [{ retention_days: 1, min_retention_days: 2 }, "must be an integer from 2 to 36500"],
  [{ retention_days: 36_501 }, "must be an integer from 2 to 36500"],
])("retention: %j is refused", (plan, message) => {
  expect(faultsOf({ plans: { a: plan }, default: "a" })).toEqual([
    `plans.a.retention_days: ${message}`,
  ]);
});
