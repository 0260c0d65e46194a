// AdmitRequests: authenticates and counts a group of waiting requests in one round trip (interface 2 and 3):
// those by API keys, and those by tokens of workloads, in one statement for each of their windows; those by
// widget tokens, and those by access tokens of people, in one statement each.

import { formatMicros, WIDGET } from "@annals/contract";
import { WidgetViewSchema } from "@annals/proto/admission";
import type { KeysService } from "@annals/proto/keys";
import { EventFilterSchema } from "@annals/proto/ledger";
import { create, fromBinary } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { accountRate } from "../../accounts/rules/plan.ts";
import { entryParams } from "../../identity/accepted-entries.ts";
import { operatorParams } from "../../identity/operator-params.ts";
import { allowedIpsOf } from "../../store/api-key-row.ts";
import type { LastUses } from "../last-uses.ts";
import { LEASE_MS } from "../leases.ts";
import {
  type AdmissionRow,
  admitRequests as admitRequestsStatement,
  WINDOWS,
} from "../store/admit-requests.ts";
import { admitWidgetRequests, type WidgetAdmissionRow } from "../store/admit-widget-requests.ts";
import { admitPeople } from "./admit-people.ts";
import { admitWorkloads } from "./admit-workloads.ts";
import {
  type AccountLimits,
  type AdmitDeps,
  admitted,
  type Admitted,
  type Counting,
  counts,
  type Group,
  isOfProgram,
  paramsOf,
  planLimits,
  programParams,
  windowOf,
} from "./admitted-groups.ts";
import { checkGroups } from "./check-groups.ts";

const MICROS_PER_MS = 1_000;

interface Deps extends AdmitDeps {
  readonly rateLimitPerMinute: number;
  readonly intakeRateLimitPerMinute: number;
  readonly logRateLimitPerMinute: number;
  readonly lastUses: Pick<LastUses, "note">;
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
    const ofPeople = groups.filter(({ isAccessToken }) => isAccessToken);
    const ofPrograms = Map.groupBy(groups.filter(isOfProgram), windowOf);
    const found = await Promise.all([
      ...Array.from(ofPrograms, ([name, some]) => admitPrograms(some, countings[name], deps)),
      admitTokens(ofTokens, accountLimits, deps),
      admitPeople(ofPeople, accountLimits, deps),
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

/** Those by API keys and those by tokens of workloads, which have the same windows. */
async function admitPrograms(
  groups: readonly Group[],
  counting: Counting,
  deps: Deps,
): Promise<Admitted> {
  const [ofWorkloads, ofKeys] = [true, false].map((isWorkloadToken) =>
    groups.filter((group) => group.isWorkloadToken === isWorkloadToken),
  );
  const found = await Promise.all([
    ofKeys?.length ? admitKeys(ofKeys, counting, deps) : [],
    ofWorkloads?.length ? admitWorkloads(ofWorkloads, counting, deps) : [],
  ]);
  return found.flat();
}

async function admitKeys(
  groups: readonly Group[],
  counting: Counting,
  deps: Deps,
): Promise<Admitted> {
  const { limit } = counting;
  const rows = await deps.database.run(admitRequestsStatement, programParams(groups, counting));
  return admitted(groups, rows, deps, (row: AdmissionRow) => {
    const { account_id: accountId, key_id: keyId, scopes } = row;
    const subject = { accountId, keyId, scopes: [...scopes] };
    const allowedIps = allowedIpsOf(row);
    const shown = { ...subject, allowedIps, ...counts(row, limit, deps) };
    // Without a statement no service does anything for it, whatever a gateway makes of the list.
    if (!row.is_allowed) return shown;
    deps.lastUses.note(accountId, keyId, row.last_used_on);
    const allowed = planLimits(deps.plans.of(row.plan));
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

async function admitTokens(
  groups: readonly Group[],
  accountLimits: AccountLimits,
  deps: Deps,
): Promise<Admitted> {
  if (groups.length === 0) return [];
  const limit = deps.widgetRateLimitPerMinute;
  const params = paramsOf(groups, limit, accountLimits);
  const { current } = deps.identities;
  const rows = await deps.database.run(admitWidgetRequests, [
    ...params,
    ...entryParams(current.people),
    ...entryParams(current.workloads),
    ...operatorParams(deps.identities),
  ]);
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
