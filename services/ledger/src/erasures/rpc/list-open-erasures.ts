// ListOpenErasures: the erasures of all accounts that wait for a service, which polls it.

import { invalid } from "@annals/errors";
import { erasedParts } from "@annals/event";
import type { Pool } from "@annals/postgres";
import { ErasureCopy, type LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ErasureCopies } from "../rules/erasure-copies.ts";
import { numberOf, selectorOf } from "../rules/erasure.ts";
import {
  listOpenForExports,
  listOpenForWebhooks,
  type OpenErasureRow,
  type OpenForExportsRow,
} from "../store/erasure-copies.ts";
import { expectCopy } from "./expect-copy.ts";

const MAX_LIMIT = 1_000;

interface Deps {
  readonly database: Pool;
  readonly erasureCopies: ErasureCopies;
}

export function listOpenErasures({
  database,
  erasureCopies,
}: Deps): ServiceImpl<typeof LedgerService>["listOpenErasures"] {
  return async ({ afterAccountId, afterId, copy, limit }, context) => {
    expectCopy(copy, context);
    if (limit < 1 || limit > MAX_LIMIT)
      throw invalid({ field: "limit", message: `must be from 1 to ${MAX_LIMIT}` });
    const page = [afterAccountId, afterId, limit] as const;
    if (copy === ErasureCopy.EXPORTS) {
      const rows = await database.run(listOpenForExports, [...page]);
      return { erasures: rows.map((row) => ({ ...openErasure(row), ...archives(row) })) };
    }
    const rows = await database.run(listOpenForWebhooks, [...page, erasureCopies.exports]);
    return { erasures: rows.map(openErasure) };
  };
}

function openErasure(row: OpenErasureRow) {
  const { actorId, targetId } = selectorOf(row.selector);
  const parts = erasedParts(row.parts);
  return {
    accountId: row.account_id,
    id: row.id,
    ...(actorId !== undefined && parts.includes("actor") && { actorId }),
    ...(targetId !== undefined && parts.includes("target") && { targetId }),
    lastRecord: BigInt(row.last_record),
    ageS: row.age_s,
  };
}

/** What is to be found in archives, until all of it is reported. */
function archives(row: OpenForExportsRow) {
  const selector = selectorOf(row.selector);
  // Only the archive has the whole id of a deleted event, so it is compared there. Its number is in the id.
  const number = numberOf(selector);
  const upToSequence = BigInt(number ?? row.up_to_sequence);
  const reported = Number(row.reported_through);
  const reportedThrough = BigInt(number === undefined ? reported : Math.max(reported, number - 1));
  if (reportedThrough >= upToSequence) return {};
  const retainedFrom = BigInt(row.deleted_through) + 1n;
  return { archives: { ...selector, upToSequence, retainedFrom, reportedThrough } };
}
