// AdmitRequests: authenticates and counts a group of waiting requests in one round trip (interface 2 and
// 3): those by API keys in one statement for each of their windows, and those by widget tokens in another.

import { type ComparedClock, formatMicros, plainAddress, WIDGET } from "@annals/contract";
import { invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import { WidgetViewSchema } from "@annals/proto/admission";
import {
  type AdmissionGroup,
  type AdmissionSchema,
  type KeysService,
  RateWindow,
} from "@annals/proto/keys";
import { EventFilterSchema } from "@annals/proto/ledger";
import type { AdmissionSigner } from "@annals/rpc";
import { create, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { isIP } from "node:net";
import { accountRate, type Plans } from "../../accounts/rules/plan.ts";
import type { Metrics } from "../../metrics.ts";
import type { LastUses } from "../last-uses.ts";
import { LEASE_MS } from "../leases.ts";
import type { RefusedAdmissions } from "../refused-admissions.ts";
import { renderPlan } from "../../accounts/render-plan.ts";
import { allowedIpsOf } from "../../store/api-key-row.ts";
import {
  type AdmissionRow,
  admitRequests as admitRequestsStatement,
  WINDOWS,
} from "../store/admit-requests.ts";
import { admitWidgetRequests, type WidgetAdmissionRow } from "../store/admit-widget-requests.ts";
import type { CountedRow, CountParams } from "../store/count-requests.ts";

/** Distinct secrets and windows in one call. */
const MAX_GROUPS = 1_000;

/** Waiting requests of one secret; beyond any real window's limit. */
const MAX_COUNT = 1_000_000;

/** Addresses in one call: a gateway sends that of each of its requests at most once. */
const MAX_ADDRESSES = 1_000;

const SHA256_BYTES = 32;
const MICROS_PER_MS = 1_000;

interface Deps {
  readonly admissions: Pick<AdmissionSigner, "issue">;
  readonly clock: Pick<ComparedClock, "fault" | "latestMicros" | "other">;
  readonly database: Database;
  readonly metrics: Metrics;
  readonly plans: Plans;
  readonly rateLimitPerMinute: number;
  readonly intakeRateLimitPerMinute: number;
  readonly logRateLimitPerMinute: number;
  readonly widgetRateLimitPerMinute: number;
  readonly refused: Pick<RefusedAdmissions, "otherAddress" | "rateLimited" | "unknownKey">;
  readonly lastUses: Pick<LastUses, "note">;
}

type Group = Pick<
  AdmissionGroup,
  "addresses" | "ahead" | "count" | "isWidgetToken" | "secretSha256" | "window"
>;
type Admission = MessageInitShape<typeof AdmissionSchema>;

/** Limits of accounts by their plans, which never change. */
type AccountLimits = ReturnType<Plans["accountLimits"]>;

/** A window, the requests that a key may make in it, and those that its account may make. */
interface Counting {
  readonly window: (typeof WINDOWS)[keyof typeof WINDOWS];
  readonly limit: number;
  readonly accountLimits: AccountLimits;
}

export function admitRequests(deps: Deps): ServiceImpl<typeof KeysService>["admitRequests"] {
  const { intakeRateLimitPerMinute, logRateLimitPerMinute, plans, rateLimitPerMinute } = deps;
  const accountLimits = plans.accountLimits(accountRate(rateLimitPerMinute));
  const countings: Readonly<Record<keyof typeof WINDOWS, Counting>> = {
    requests: { window: WINDOWS.requests, limit: rateLimitPerMinute, accountLimits },
    log: { window: WINDOWS.log, limit: logRateLimitPerMinute, accountLimits },
    intake: {
      window: WINDOWS.intake,
      limit: intakeRateLimitPerMinute,
      accountLimits: plans.accountIntakeLimits(accountRate(intakeRateLimitPerMinute)),
    },
  };
  return async ({ groups }) => {
    checkGroups(groups);
    const ofTokens = groups.filter(({ isWidgetToken }) => isWidgetToken);
    const ofKeys = Map.groupBy(
      groups.filter(({ isWidgetToken }) => !isWidgetToken),
      windowOf,
    );
    const found = await Promise.all([
      ...Array.from(ofKeys, ([name, some]) => admitKeys(some, countings[name], deps)),
      admitTokens(ofTokens, accountLimits, deps),
    ]);
    const admissions = new Map(found.flat());
    return {
      admissions: groups.map((group) => admissions.get(group) ?? {}),
      limit: rateLimitPerMinute,
      logLimit: logRateLimitPerMinute,
      intakeLimit: intakeRateLimitPerMinute,
      databaseTimeUs: databaseTime(deps.clock),
    };
  };
}

/** 0 while the clock of this service is wrong: then no secret is admitted. */
function databaseTime({ fault, other }: Deps["clock"]): bigint {
  return fault() === undefined ? BigInt(other.nowMicros()) : 0n;
}

type Admitted = readonly (readonly [Group, Admission])[];

function windowOf({ window }: Group): keyof typeof WINDOWS {
  switch (window) {
    case RateWindow.LOG:
      return "log";
    case RateWindow.INTAKE:
      return "intake";
    default:
      return "requests";
  }
}

async function admitKeys(
  groups: readonly Group[],
  { accountLimits, limit, window }: Counting,
  deps: Deps,
): Promise<Admitted> {
  const { ofAccount, ofKey } = window;
  const params = paramsOf(groups, limit, accountLimits);
  const rows = await deps.database.run(admitRequestsStatement, [
    ...params,
    ofKey,
    ofAccount,
    groups.map(({ addresses }) => arrayOf(addresses.map(({ address }) => address))),
    groups.map(({ addresses }) => arrayOf(addresses.map(({ count }) => count))),
  ]);
  return admitted(groups, rows, deps, (row: AdmissionRow) => {
    const { account_id: accountId, key_id: keyId, scopes } = row;
    const subject = { accountId, keyId, scopes: [...scopes] };
    const allowedIps = allowedIpsOf(row);
    const shown = { ...subject, allowedIps, ...counts(row, limit, deps) };
    // Without a statement no service does anything for it, whatever a gateway makes of the list.
    if (!row.is_allowed) return shown;
    deps.lastUses.note(accountId, keyId, row.last_used_on);
    const plan = deps.plans.of(row.plan);
    const { maxExportBytes } = plan;
    const allowed = {
      eventsExportedPerDay: BigInt(plan.eventsExportedPerDay),
      eventsReplayedPerDay: BigInt(plan.eventsReplayedPerDay),
      ...(maxExportBytes !== undefined && { maxExportBytes: BigInt(maxExportBytes) }),
    };
    const endsAt = row.expires_at ?? "";
    const statement = deps.admissions.issue({ ...subject, ...allowed }, endsAt);
    return { ...shown, statement, leaseMs: leaseOf(row, deps.clock) };
  });
}

/** A key that is bound to addresses, or may expire during the lease, is asked for with each request. */
function leaseOf({ allowed_ips, expires_at }: AdmissionRow, clock: Deps["clock"]): number {
  if (allowed_ips !== null) return 0;
  const ends = clock.latestMicros() + LEASE_MS * MICROS_PER_MS;
  return expires_at === null || expires_at > formatMicros(ends) ? LEASE_MS : 0;
}

/** The literal of an array of PostgreSQL. The addresses were checked. */
const arrayOf = (items: readonly (string | number)[]): string => `{${items.join(",")}}`;

async function admitTokens(
  groups: readonly Group[],
  accountLimits: AccountLimits,
  deps: Deps,
): Promise<Admitted> {
  if (groups.length === 0) return [];
  const limit = deps.widgetRateLimitPerMinute;
  const params = paramsOf(groups, limit, accountLimits);
  const rows = await deps.database.run(admitWidgetRequests, params);
  return admitted(groups, rows, deps, (row: WidgetAdmissionRow) => {
    const { account_id: accountId, key_id: keyId, origins, viewer_id: viewerId } = row;
    const subject = { accountId, keyId, scopes: [WIDGET] };
    const statement = deps.admissions.issue({ ...subject, widget: viewOf(row) }, row.expires_at);
    const widget = { limit, origins: [...origins], viewerId: viewerId ?? "" };
    return { ...subject, statement, widget, ...counts(row, limit, deps) };
  });
}

function viewOf({ filter, parts }: WidgetAdmissionRow) {
  const view = { filter: fromBinary(EventFilterSchema, filter), parts: [...parts] };
  return create(WidgetViewSchema, view);
}

function paramsOf(
  groups: readonly Group[],
  limit: number,
  { fallback, named }: AccountLimits,
): CountParams {
  return [
    groups.map((one) => one.secretSha256),
    groups.map(({ ahead, count }) => count + ahead),
    limit,
    named.map(([name]) => name),
    named.map(([, accountLimit]) => accountLimit),
    fallback,
  ];
}

/** Each group with its admission, an empty one if its secret is not known. All are counted. */
function admitted<Row extends CountedRow & { readonly wanted?: number }>(
  groups: readonly Group[],
  rows: readonly Row[],
  { metrics, refused }: Deps,
  render: (row: Row) => Admission,
): Admitted {
  const byOrdinal = new Map(rows.map((row) => [Number(row.ordinal), row]));
  return groups.map((group, index) => {
    const row = byOrdinal.get(index + 1);
    // What is counted ahead has not come, so it is not refused.
    const wanted = Math.min(row?.wanted ?? group.count, group.count);
    const elsewhere = group.count - wanted;
    const limited = row ? Math.max(0, wanted - row.granted) : 0;
    metrics.admissions.inc({ outcome: "unknown_key" }, row ? 0 : group.count);
    metrics.admissions.inc({ outcome: "admitted" }, row?.granted ?? 0);
    metrics.admissions.inc({ outcome: "rate_limited" }, limited);
    metrics.admissions.inc({ outcome: "other_address" }, elsewhere);
    if (row) {
      refused.rateLimited(row.account_id, row.key_id, limited);
      refused.otherAddress(row.account_id, row.key_id, elsewhere);
    } else refused.unknownKey(group.count);
    return [group, row ? render(row) : {}] as const;
  });
}

function counts(row: CountedRow, limit: number, { plans }: Deps) {
  return {
    admitted: row.granted,
    remaining: Math.max(0, limit - row.used),
    windowEndsInS: row.ends_in_s,
    accountWindow: {
      limit: row.account_limit,
      used: row.account_used,
      endsInS: row.account_ends_in_s,
      isExceeded: row.is_of_account,
    },
    plan: renderPlan(plans.of(row.plan)),
  };
}

function checkGroups(groups: readonly Group[]): void {
  if (groups.length > MAX_GROUPS) {
    throw invalid({ field: "groups", message: `must be at most ${MAX_GROUPS}` });
  }
  const addresses = groups.reduce((sum, group) => sum + group.addresses.length, 0);
  if (addresses > MAX_ADDRESSES) {
    throw invalid({ field: "groups.addresses", message: `must be at most ${MAX_ADDRESSES}` });
  }
  const seen = new Set<string>();
  for (const [index, group] of groups.entries()) {
    const { ahead, count, isWidgetToken, secretSha256 } = group;
    if (secretSha256.length !== SHA256_BYTES) {
      throw invalid({
        field: `groups[${index}].secret_sha256`,
        message: `must be ${SHA256_BYTES} bytes`,
      });
    }
    if (count + ahead > MAX_COUNT) {
      throw invalid({ field: `groups[${index}].count`, message: `must be at most ${MAX_COUNT}` });
    }
    checkAddresses(group, `groups[${index}].addresses`);
    const window = isWidgetToken ? "requests" : windowOf(group);
    seen.add(`${Buffer.from(secretSha256).toString("base64")} ${window}`);
  }
  if (seen.size !== groups.length) {
    throw invalid({
      field: "groups",
      message: "must not contain the same secret twice in one window",
    });
  }
}

/** A text that is not an address would fail the statement, and with it the requests of other keys. */
function checkAddresses({ addresses, count }: Group, field: string): void {
  const isWrong = ({ address }: { readonly address: string }) =>
    isIP(address) === 0 || address !== plainAddress(address);
  if (addresses.some(isWrong)) throw invalid({ field, message: "must be IP addresses" });
  if (addresses.reduce((sum, one) => sum + one.count, 0) > count) {
    throw invalid({ field, message: "must not count more requests than the group" });
  }
}
