// What the groups of a call of AdmitRequests share, whatever secrets they have: the parameters of the
// statement that counts them, and the answer to each. Called by admit-requests.ts and admit-people.ts.

import type { ComparedClock } from "@annals/contract";
import type { Database } from "@annals/postgres";
import { type AdmissionGroup, type AdmissionSchema, RateWindow } from "@annals/proto/keys";
import type { AdmissionSigner } from "@annals/rpc";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { renderPlan } from "../../accounts/render-plan.ts";
import type { Plan, Plans } from "../../accounts/rules/plan.ts";
import type { NamedOperators } from "../../identity/operator-params.ts";
import type { Metrics } from "../../metrics.ts";
import { type AcceptedIssuers, type AcceptedProviders } from "../../identity/accepted-entries.ts";
import type { RefusedAdmissions } from "../refused-admissions.ts";
import type { ProgramParams, WINDOWS } from "../store/admit-requests.ts";
import type { CountedRow, CountParams } from "../store/count-requests.ts";

export interface AdmitDeps {
  readonly admissions: Pick<AdmissionSigner, "issue">;
  readonly clock: Pick<ComparedClock, "fault" | "latestMicros" | "other">;
  readonly database: Database;
  readonly identities: AcceptedIdentities;
  readonly metrics: Metrics;
  readonly plans: Plans;
  readonly personRateLimitPerMinute: number;
  readonly widgetRateLimitPerMinute: number;
  readonly refused: Pick<RefusedAdmissions, "otherAddress" | "rateLimited" | "unknownKey">;
}

/** What the operator's file says now. */
type AcceptedIdentities = {
  readonly current: AcceptedProviders["current"] &
    AcceptedIssuers["current"] &
    NamedOperators["current"];
};

export type Group = Pick<
  AdmissionGroup,
  | "addresses"
  | "ahead"
  | "count"
  | "isAccessToken"
  | "isWidgetToken"
  | "isWorkloadToken"
  | "secretSha256"
  | "window"
>;
export type Admission = MessageInitShape<typeof AdmissionSchema>;
export type Admitted = readonly (readonly [Group, Admission])[];

/** Limits of accounts by their plans, which never change. */
export type AccountLimits = ReturnType<Plans["accountLimits"]>;

/** What has the windows of a key, and may be bound to addresses. */
export const isOfProgram = ({ isAccessToken, isWidgetToken }: Group): boolean =>
  !isAccessToken && !isWidgetToken;

/** A widget token and an access token count all requests in one window. */
export function windowOf({ window }: Group): keyof typeof WINDOWS {
  switch (window) {
    case RateWindow.LOG:
      return "log";
    case RateWindow.INTAKE:
      return "intake";
    default:
      return "requests";
  }
}

/** What the statement of a key, a person or a workload says of the plan. */
export function planLimits({ eventsExportedPerDay, eventsReplayedPerDay, maxExportBytes }: Plan) {
  return {
    eventsExportedPerDay: BigInt(eventsExportedPerDay),
    eventsReplayedPerDay: BigInt(eventsReplayedPerDay),
    ...(maxExportBytes !== undefined && { maxExportBytes: BigInt(maxExportBytes) }),
  };
}

/** A window, the requests that a key may make in it, and those that its account may make. */
export interface Counting {
  readonly window: (typeof WINDOWS)[keyof typeof WINDOWS];
  readonly limit: number;
  readonly accountLimits: AccountLimits;
}

/** The parameters of the statements for keys and for workloads. */
export function programParams(
  groups: readonly Group[],
  { accountLimits, limit, window }: Counting,
): ProgramParams {
  return [
    ...paramsOf(groups, limit, accountLimits),
    window.ofKey,
    window.ofAccount,
    groups.map(({ addresses }) => arrayOf(addresses.map(({ address }) => address))),
    groups.map(({ addresses }) => arrayOf(addresses.map(({ count }) => count))),
  ];
}

/** The literal of an array of PostgreSQL. The addresses were checked. */
const arrayOf = (items: readonly (string | number)[]): string => `{${items.join(",")}}`;

export function paramsOf(
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
export function admitted<Row extends CountedRow & { readonly wanted?: number }>(
  groups: readonly Group[],
  rows: readonly Row[],
  { metrics, refused }: Pick<AdmitDeps, "metrics" | "refused">,
  render: (row: Row) => Admission,
): Admitted {
  const byOrdinal = new Map(rows.map((row) => [Number(row.ordinal), row]));
  return groups.map((group, index) => {
    const row = byOrdinal.get(index + 1);
    // What is counted ahead has not come, so it is not refused.
    const wanted = Math.min(row?.wanted ?? group.count, group.count);
    const elsewhere = group.count - wanted;
    const limited = row ? Math.max(0, wanted - row.granted) : 0;
    // RegisterWorkloadToken counts those that no one trusts: others are not known yet, or not any longer.
    const unknown = row || group.isWorkloadToken ? 0 : group.count;
    metrics.admissions.inc({ outcome: "unknown_key" }, unknown);
    metrics.admissions.inc({ outcome: "admitted" }, row?.granted ?? 0);
    metrics.admissions.inc({ outcome: "rate_limited" }, limited);
    metrics.admissions.inc({ outcome: "other_address" }, elsewhere);
    if (row) {
      refused.rateLimited(row.account_id, row.key_id, limited);
      refused.otherAddress(row.account_id, row.key_id, elsewhere);
    } else refused.unknownKey(unknown);
    return [group, row ? render(row) : {}] as const;
  });
}

export function counts(row: CountedRow, limit: number, { plans }: Pick<AdmitDeps, "plans">) {
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
