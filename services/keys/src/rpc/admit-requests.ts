// AdmitRequests: authenticates and counts a group of waiting requests in one round trip (interface 5 and 8).

import { invalid } from "@annals/errors";
import type { Database } from "@annals/postgres";
import type { KeysService } from "@annals/proto/keys";
import type { AdmissionSigner } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Plans } from "../domain/plan.ts";
import type { Metrics } from "../metrics.ts";
import type { RefusedAdmissions } from "../workers/refused-admissions.ts";
import { renderPlan } from "./render-plan.ts";
import {
  type AdmissionRow,
  admitRequests as admitRequestsStatement,
} from "../store/admit-requests.ts";

/** Distinct secrets in one call. */
const MAX_GROUPS = 1_000;

/** Waiting requests of one secret; beyond any real window's limit. */
const MAX_COUNT = 1_000_000;

const SHA256_BYTES = 32;

interface Deps {
  readonly admissions: Pick<AdmissionSigner, "issue">;
  readonly database: Database;
  readonly metrics: Metrics;
  readonly plans: Plans;
  readonly rateLimitPerMinute: number;
  readonly refused: Pick<RefusedAdmissions, "rateLimited" | "unknownKey">;
}

export function admitRequests(deps: Deps): ServiceImpl<typeof KeysService>["admitRequests"] {
  return async ({ groups }) => {
    checkGroups(groups);
    const limit = deps.rateLimitPerMinute;
    const rows = await deps.database.run(admitRequestsStatement, [
      groups.map((group) => group.secretSha256),
      groups.map((group) => group.count),
      limit,
    ]);
    const byOrdinal = new Map(rows.map((row) => [Number(row.ordinal), row]));
    const admissions = groups.map((group, index) => {
      const row = byOrdinal.get(index + 1);
      deps.metrics.admissions.inc({ outcome: "unknown_key" }, row ? 0 : group.count);
      deps.metrics.admissions.inc({ outcome: "admitted" }, row?.granted ?? 0);
      deps.metrics.admissions.inc({ outcome: "rate_limited" }, row ? group.count - row.granted : 0);
      if (row) deps.refused.rateLimited(row.account_id, row.key_id, group.count - row.granted);
      else deps.refused.unknownKey(group.count);
      return row ? admission(row, limit, deps) : {};
    });
    return { admissions, limit };
  };
}

function admission(row: AdmissionRow, limit: number, { admissions, plans }: Deps) {
  const admitted = { accountId: row.account_id, keyId: row.key_id, scopes: [...row.scopes] };
  return {
    ...admitted,
    statement: admissions.issue(admitted),
    admitted: row.granted,
    remaining: Math.max(0, limit - row.used),
    windowEndsInS: row.ends_in_s,
    plan: renderPlan(plans.of(row.plan)),
  };
}

function checkGroups(
  groups: readonly { readonly secretSha256: Uint8Array; readonly count: number }[],
): void {
  if (groups.length > MAX_GROUPS) {
    throw invalid({ field: "groups", message: `must be at most ${MAX_GROUPS}` });
  }
  const seen = new Set<string>();
  for (const [index, { secretSha256, count }] of groups.entries()) {
    if (secretSha256.length !== SHA256_BYTES) {
      throw invalid({
        field: `groups[${index}].secret_sha256`,
        message: `must be ${SHA256_BYTES} bytes`,
      });
    }
    if (count > MAX_COUNT) {
      throw invalid({ field: `groups[${index}].count`, message: `must be at most ${MAX_COUNT}` });
    }
    seen.add(Buffer.from(secretSha256).toString("base64"));
  }
  if (seen.size !== groups.length) {
    throw invalid({ field: "groups", message: "must not name a secret twice" });
  }
}
